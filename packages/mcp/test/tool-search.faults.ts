import { type ModelRequest, ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { holds } from '@agent-task-service/test-support/holds'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { until } from '@agent-task-service/test-support/until'
import type { AIMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const WORDS = ['order', 'invoice', 'print', 'list', 'mail', 'ticket', 'close', 'Kunde', '注文', 'a1']
const words = (maxLength: number) => fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength })
const tool = fc.record({
  name: words(3).map(each => each.join('_')),
  description: words(60).map(each => each.join(' ')),
  members: fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 5 }),
})
interface Drawn {
  readonly name: string
  readonly description: string
  readonly members: readonly string[]
}
const step = fc.oneof(
  { weight: 3, arbitrary: words(4).map(each => ({ query: each.join(' ') })) },
  { weight: 1, arbitrary: fc.nat().map(nth => ({ nth })) },
)

const definitionOf = ({ name, description, members }: Drawn) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: Object.fromEntries(members.map(each => [each, {}])) },
})

/** The requests of a run in which a model searches and calls as drawn. */
async function requestsOf(
  tools: readonly object[],
  steps: readonly { readonly name: string; readonly args: object }[],
  context: Record<string, unknown>,
): Promise<readonly ModelRequest[]> {
  const peer = await httpPeer({ list: () => ({ tools }) })
  const model = new ScriptedModel([...steps.map(call => ({ toolCalls: [call] })), 'Done.'])
  const env = { MCP_CONFIG: await mcpFile({ erp: { url: peer.url } }), MAX_TOOL_TOKENS: '1000' }
  const service = await testService(agent, { env, models: [model.named()], tools: [] })
  await until(() => service.lines.some(({ msg }) => msg === 'mcp server connected'))
  const hasSearch = service.toolNames.includes('find_tools')
  if (hasSearch) await service.run('Go.', context)
  await service.close()
  return model.requests
}

/** What the conversation of a request has found, the last search first, and called. */
function knownIn({ messages }: ModelRequest) {
  const results = messages.filter(({ type, name }) => type === 'tool' && name === 'find_tools')
  const calls = messages.flatMap(message => (message as Partial<AIMessage>).tool_calls ?? [])
  const searches = results.map(({ text }) => text.split('\n').map(line => line.split(':')[0]!))
  return { last: searches.at(-1) ?? [], found: searches.flat(), called: calls.map(({ name }) => name) }
}

test('whatever a model searches and calls, it is offered what it found last and called, and nothing that it did not', () =>
  holds(
    25,
    fc.asyncProperty(
      fc.uniqueArray(tool, { minLength: 40, maxLength: 80, selector: ({ name }) => name }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.option(fc.nat(), { nil: undefined }),
      async (drawn, steps, only) => {
        const names = drawn.map(({ name }) => `erp__${name.replace(/[^a-zA-Z0-9_-]/g, '_')}`)
        const nameAt = (nth: number) => names[nth % names.length]!
        const enabled = only === undefined ? [...names, 'find_tools'] : [nameAt(only), 'find_tools']
        const calls = steps.map(each =>
          'query' in each ? { name: 'find_tools', args: each } : { name: nameAt(each.nth), args: {} },
        )
        const context = only === undefined ? {} : { enabled_tools: enabled }
        for (const request of await requestsOf(drawn.map(definitionOf), calls, context)) {
          const { last, found, called } = knownIn(request)
          const may = (name: string) => enabled.includes(name)
          if (only !== undefined) {
            expect(request.tools.toSorted()).toEqual(enabled.toSorted())
            continue
          }
          expect(['find_tools', ...found, ...called]).toEqual(expect.arrayContaining([...request.tools]))
          expect(request.tools).toEqual(
            expect.arrayContaining(['find_tools', ...last, ...called].filter(may)),
          )
        }
      },
    ),
  ))
