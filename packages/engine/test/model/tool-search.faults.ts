import { RunFailure } from '@agent-task-service/engine'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import { holds } from '@agent-task-service/test-support/holds'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RefusedTools } from '../../model/refused-tools.ts'

const cause = Object.assign(new Error('Provider returned error'), { status: 400 })
const failure = new RunFailure('model_rejected', 'refused', { cause })
const error = { trouble: 'rejected', isOutage: false, failure } as const
const toolNamed = (name: string, parameters: object = {}): BindToolsInput => ({
  type: 'function',
  function: { name, parameters },
})

/** Runs one after the other, at a provider that silently refuses some tools. */
function provider(tools: readonly BindToolsInput[], isBad: (tool: BindToolsInput) => boolean) {
  const refusedTools = new RefusedTools()
  return async (isNear = false) => {
    const sent: (readonly BindToolsInput[])[] = []
    const learnt: string[] = []
    const outcome = await refusedTools.ask({
      run: {},
      messages: [],
      tools,
      mayCall: true,
      needs: () => false,
      mustWrapUp: () => isNear,
      ask: async offered => {
        sent.push(offered)
        return offered.some(isBad) ? { error, isPastSoftDeadline: false } : { reply: offered }
      },
      onLearnt: names => void learnt.push(...names),
    })
    return { outcome, sent, learnt }
  }
}

test('each search stays within its bound, ends with a reply, and finds one bad tool', async () => {
  const count = fc.integer({ min: 1, max: 130 })
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 4 })
  const property = fc.asyncProperty(count, places, async (count, places) => {
    const tools = Array.from({ length: count }, (_, index) => toolNamed(`tool_${index}`))
    const bad = new Set(places.map(place => tools[place % count]))
    const run = provider(tools, tool => bad.has(tool))
    for (let found = 0; found < bad.size; found += 1) {
      const { outcome, sent, learnt } = await run()
      expect(sent.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count - found)) + 2)
      expect([...bad].map(tool => nameOf(tool!))).toContain(learnt[0])
      expect([outcome, learnt.length]).toEqual([{ reply: expect.anything() }, 1])
    }
    const { sent } = await run()
    expect(sent).toEqual([tools.filter(tool => !bad.has(tool))])
  })
  await holds(200, property)
})

test('near a limit there is no search: the answer without tools counts, and nothing is learnt', async () => {
  const tools = ['a', 'b', 'c', 'd'].map(name => toolNamed(name))
  const { outcome, sent, learnt } = await provider(tools, tool => tool === tools[1])(true)
  expect([outcome, sent.length, learnt]).toEqual([{ reply: [] }, 2, []])
})

test('a tool that its server has mended is offered again', async () => {
  const tools = [toolNamed('a'), toolNamed('b', { type: 'null' })]
  const run = provider(tools, tool => JSON.stringify(tool).includes('null'))
  await run()
  expect((await run()).sent).toEqual([[tools[0]]])
  tools[1] = toolNamed('b', { type: 'object' })
  expect((await run()).sent).toEqual([tools])
})
