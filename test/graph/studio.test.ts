import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { ToolFault } from '../../graph/meter.ts'
import { createStudioGraph } from '../../graph/studio.ts'
import { Toolset } from '../../graph/toolset.ts'
import { calculator } from '../../tools/calculator.ts'
import { defineTool } from '../../tools/tool.ts'
import { ScriptedModel } from '../support/scripted-model.ts'

const LIMITS = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 50 }
const breaks = defineTool({
  name: 'breaks',
  description: 'Breaks.',
  schema: z.object({}),
  run() {
    throw new TypeError('of its own')
  },
})

function studioGraph(model: ScriptedModel, limits: Partial<typeof LIMITS> = {}) {
  const faults: ToolFault[] = []
  const parts = {
    models: [model.named()],
    tools: Toolset.of([calculator, breaks]),
    systemPrompt: 'Be brief.',
    limits: { ...LIMITS, ...limits },
  }
  const ask = async (context = {}, before: BaseMessage[] = []) => {
    const graph = createStudioGraph(parts, fault => faults.push(fault))
    const { messages } = await graph.invoke(
      { messages: [...before, new HumanMessage('Hi')] },
      { context: context as never },
    )
    return messages.at(-1)?.text
  }
  return { ask, faults }
}

test('a run that takes too long ends with the reason, though the model does not', async () => {
  const model = new ScriptedModel([{ text: 'late', after: new Promise(() => {}) }])
  const { ask } = studioGraph(model, { timeoutMs: 20 })
  await expect(ask()).rejects.toThrow('the time limit of 0.02 s was reached')
})

test('past the soft deadline the answer is given without tools', async () => {
  const model = new ScriptedModel(['done'])
  const { ask } = studioGraph(model, { answerByMs: 0 })
  expect(await ask()).toBe('done')
  expect(model.requests[0]).toMatchObject({ tools: [] })
})

test('a run of as many rounds as the steps allow is not cut short by the graph', async () => {
  const call = { toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] }
  const model = new ScriptedModel(({ tools }) => (tools.length > 0 ? call : 'done'))
  const { ask } = studioGraph(model, { maxSteps: 49 })
  expect(await ask()).toBe('done')
  expect(model.requests).toHaveLength(25)
})

test('each run has an account of its own', async () => {
  const model = new ScriptedModel(['one', 'two'])
  const { ask } = studioGraph(model, { maxSteps: 1 })
  expect(await ask()).toBe('one')
  expect(await ask()).toBe('two')
})

test('a tool that fails as nobody foresaw is told of, with its error', async () => {
  const model = new ScriptedModel([{ toolCalls: [{ name: 'breaks' }] }, 'done'])
  const { ask, faults } = studioGraph(model)
  expect(await ask()).toBe('done')
  expect(faults).toMatchObject([{ tool: 'breaks', error: { message: 'of its own' } }])
})

test('a thread goes on after a run that was stopped before all of its calls were made', async () => {
  const calls = ['a', 'b'].map(id => ({ id, name: 'calculator', args: { expression: '1 + 1' } }))
  const stopped = [
    new HumanMessage('Add'),
    new AIMessage({ content: '', tool_calls: calls }),
    new ToolMessage({ content: '1 + 1 = 2', tool_call_id: 'a' }),
  ]
  const model = new ScriptedModel(['done'])
  const { ask } = studioGraph(model)
  expect(await ask({}, stopped)).toBe('done')
  expect(model.requests[0]?.messages).toMatchObject([
    { type: 'system' },
    { type: 'human' },
    { type: 'ai' },
    { type: 'tool', tool_call_id: 'a', content: '1 + 1 = 2' },
    { type: 'tool', tool_call_id: 'b', content: 'Not run: the run was stopped.', status: 'error' },
    { type: 'human', content: 'Hi' },
  ])
})

test('settings that do not fit are refused', async () => {
  const { ask } = studioGraph(new ScriptedModel([]))
  await expect(ask({ max_tokens: 0 })).rejects.toThrow(/max_tokens/)
  await expect(ask({ enabled_tools: ['telepathy'] })).rejects.toThrow(/enabled_tools/)
})
