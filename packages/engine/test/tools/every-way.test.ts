import type { GraphParts } from '@agent-task-service/engine'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool as named } from '@agent-task-service/test-support/sample-tools'
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectRule, loop, PAY, pay, rules, type Tool, ways, web } from './every-way.ts'

const names = Object.keys(rules)

// Every rule in every way: every-way.world.ts.
test.each(Object.keys(ways).map((way, at) => [way, names[at % names.length]!, at % 2 === 0] as const))(
  '%s × %s, in the registry: %s',
  expectRule,
)

/** A graph of one node, which calls these without a model. */
const calling = (tools: Tool[]) => () =>
  new StateGraph(MessagesAnnotation)
    .addNode('own', async ({ messages }) => {
      const told: string[] = []
      for (const one of tools) told.push(await one.invoke({}).catch(({ message }: Error) => message))
      return { messages: [...messages, new AIMessage(told.map(String).join(' | '))] }
    })
    .addEdge(START, 'own')
    .compile()

const WHY_NOT =
  'the tool pay has side effects, and its rules would not hold: add it to tools/registry.ts, or bind it to parts.model'

// EVIDENCE-OF docs/reference/tool-rules.md: A call with side effects does not run: it ends the run with an `error` that
//   names the tool and says what to do
// EVIDENCE-OF docs/reference/errors.md: | `unguarded_tool` |
test('a tool with side effects that no model was offered ends the run', async () => {
  const called: string[] = []
  const { run, lines } = await testService({ ...agent, graph: calling([pay(called)]) }, { tools: [] })
  expect(await run('Go on')).toMatchObject({ status: 'error', error: WHY_NOT })
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'run', stop: 'unguarded_tool' }))
  expect(called).toEqual([])
})

// EVIDENCE-OF docs/reference/tool-rules.md: `enabled_tools` holds, and what it has read counts as read by the run
test.each<[says: string, enabled: string[] | undefined]>([
  ['page 1 | the tool pay has side effects, and this run has read the web', undefined],
  ['the tool web is not enabled for this run | paid 1', ['pay']],
])('a tool without side effects that no model was offered: %s', async (says, enabled_tools) => {
  const called: string[] = []
  const registered = pay(called)
  const graph = calling([web([]), registered])
  const { run } = await testService({ ...agent, graph }, { tools: [registered] })
  const config = enabled_tools && { enabled_tools }
  expect(await run('Go on', config)).toMatchObject({
    status: 'success',
    output: expect.stringContaining(says),
  })
  expect(called).toHaveLength(enabled_tools ? 1 : 0)
})

const UNKNOWN = 'enabled_tools does not hold for a tool: add it to tools/registry.ts, or declare readOnlyHint'

// EVIDENCE-OF docs/reference/tool-rules.md: No rule holds, and the log says so once if a run's `enabled_tools` does not name it,
//   unless it returns a `Command`
test('a tool that declares nothing, and is in no registry: the log names it once; a handoff is none', async () => {
  const plain = named('plain', () => 'ran')
  const steers = named('steers', () => new Command({ update: {} }))
  const { run, lines } = await testService(
    { ...agent, graph: calling([plain, steers]) },
    { tools: [named('known', () => '')] },
  )
  const logged = () => lines.filter(({ msg }) => msg === UNKNOWN)
  await run('Go on')
  expect(logged()).toEqual([])
  for (const task_id of ['test-2', 'test-3'])
    expect(await run('Go on', { enabled_tools: ['known'] }, task_id)).toMatchObject({ status: 'success' })
  expect(logged()).toMatchObject([{ level: 'warn', task_id: 'test-2', tool: 'plain' }])
})

test('what an operator allows holds for one agent of the process alone', async () => {
  const called: string[] = []
  const tools = [web([]), pay(called)]
  const withEnv = async (env: Record<string, string>) =>
    await testService({ ...agent, graph: calling(tools) }, { tools, env })
  const strict = await withEnv({})
  const lenient = await withEnv({ TOOLS_AFTER_WEB: 'pay' })
  expect(await strict.run('Go on')).toMatchObject({ output: expect.stringContaining('has read the web') })
  expect(await lenient.run('Go on')).toMatchObject({ output: 'page 2 | paid 1' })
})

test('outside a run, a tool of the registry is as its owner wrote it', async () => {
  const broken = named('broken', () => {
    throw new Error('at 10.0.0.7')
  })
  await testService(agent, { tools: [broken] })
  await expect(broken.invoke({})).rejects.toThrow('at 10.0.0.7')
})

test('a tool that its parts have, offered again as it is: once', async () => {
  const called: string[] = []
  const one = pay(called)
  const model = new ScriptedModel([{ toolCalls: [PAY] }, 'Done.'])
  const graph = ({ model: llm, tools }: GraphParts) => createReactAgent({ llm, tools: [...tools, one] })
  const { run } = await testService({ ...agent, graph }, { models: [model.named()], tools: [one] })
  expect(await run('Go on')).toMatchObject({ status: 'success', output: 'Done.' })
  expect(model.requests.map(({ tools }) => tools)).toEqual([['pay'], ['pay']])
  expect(called).toEqual(['pay'])
})

const binding =
  (...tools: object[]) =>
  (parts: GraphParts) =>
    loop(parts, tools as Tool[]).compile()
const dated = tool(() => '', { name: 'dated', description: '', schema: z.object({ day: z.date() }) })

test.each<[what: string, tools: object[], env: Record<string, string>, error: string]>([
  [
    'no model would accept',
    [dated],
    {},
    'the tool "dated": expected a schema that JSON Schema can express: no dates, big integers, maps or functions',
  ],
  [
    'its provider would run',
    [{ type: 'web_search' }],
    { OPENAI_API_KEY: 'sk-key', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    'parts.model passes on no tool that a provider runs, such as web_search: use a chat class of the provider for it',
  ],
])('a graph that offers a tool that %s: its error says so', async (_what, tools, env, error) => {
  const { run } = await testService({ ...agent, graph: binding(...tools) }, { env, tools: [] })
  expect(await run('Go on')).toMatchObject({ status: 'error', error })
})
