import { ScriptedModel } from '@agent-task-service/engine/testing'
import { createGraph } from '@agent-task-service/test-support/agent/graph'
import { calculator } from '@agent-task-service/test-support/agent/tools'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { createModel } from '../model/model-with-fallbacks.ts'
import { Run } from '../run/run.ts'
import { guardTool } from '../tool-rules/guarded-tools.ts'

const LIMITS = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 50 }

/** The graph as Studio's server gets it: a new one for each run. */
function studioGraph(model: ScriptedModel, limits: Partial<typeof LIMITS> = {}) {
  const parts = {
    model: createModel([model.named()]),
    tools: [guardTool(calculator)],
    systemPrompt: 'Be brief.',
    limits: { ...LIMITS, ...limits },
  }
  const ask = async (config: object = {}, before: BaseMessage[] = []) => {
    const run = new Run({ limits: parts.limits, arrivedAt: performance.now() })
    const graph = createGraph(parts).withConfig(run.config())
    const { messages } = await graph.invoke({ messages: [...before, new HumanMessage('Hi')] }, config)
    return messages.at(-1)?.text
  }
  return { ask, parts }
}

test('a run that takes too long ends with the reason, even if the model does not', async () => {
  const model = new ScriptedModel([{ text: 'late', after: new Promise(() => {}) }])
  const { ask } = studioGraph(model, { timeoutMs: 20 })
  await expect(ask()).rejects.toThrow('the time limit of 0.02 s was reached')
})

test('a thread continues after a run that was stopped before all its calls were made', async () => {
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

test('refuses settings that do not fit', async () => {
  const { ask } = studioGraph(new ScriptedModel([]))
  await expect(ask({ context: { max_tokens: 0 } })).rejects.toThrow(/max_tokens/)
  await expect(ask({ context: { enabled_tools: ['telepathy'] } })).rejects.toThrow(/enabled_tools/)
})

test('settings under configurable are an error that names context', async () => {
  const { ask } = studioGraph(new ScriptedModel(['never']))
  await expect(ask({ configurable: { enabled_tools: [], max_tokens: 3 } })).rejects.toMatchObject({
    reason: 'invalid_context',
    message: 'expected max_tokens and enabled_tools in context, got them under configurable',
  })
})

test('the graph works on its own, outside the service, without limits', async () => {
  const { parts } = studioGraph(
    new ScriptedModel([{ toolCalls: [{ name: 'calculator', args: { expression: '6 * 7' } }] }, 'It is 42.']),
  )
  const { messages } = await createGraph(parts).invoke({ messages: [new HumanMessage('Six times seven?')] })
  expect(messages.map(({ text }) => text)).toEqual(['Six times seven?', '', '6 * 7 = 42', 'It is 42.'])
})
