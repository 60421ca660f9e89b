import { ScriptedModel, testGraph } from '@agent-task-service/engine/testing'
import { createGraph } from '@agent-task-service/test-support/agent/graph'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { add } from '@agent-task-service/test-support/sample-tools'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'

/** Asks the graph in a run of its own. */
async function asking(model: ScriptedModel, env: Record<string, string> = {}) {
  const { graph, parts } = await testGraph(agent, { env, models: [model.named()], tools: [add] })
  const ask = async (config: object = {}, before: BaseMessage[] = []) => {
    const { messages } = await graph().invoke({ messages: [...before, new HumanMessage('Hi')] }, config)
    return (messages as BaseMessage[]).at(-1)?.text
  }
  return { ask, parts }
}

// EVIDENCE-OF docs/guides/graph.md: To invoke the graph itself, with messages of earlier runs for example, use `testGraph` of the same
//   module: it has the limits of a run, and throws what ends it.
test('a run that takes too long ends with the reason, even if the model does not', async () => {
  const model = new ScriptedModel(() => ({ after: new Promise(() => {}) }))
  const { ask } = await asking(model, { RUN_TIMEOUT_SEC: '1' })
  const time = fakeTime()
  const ended = expect(ask()).rejects.toThrow('the time limit of 1 s was reached')
  await model.asked(1)
  await time.pass(1_000)
  await ended
})

// EVIDENCE-OF docs/guides/graph.md: Run them with `npm test -- test/own/`.
test('a thread continues after a run that was stopped before all its calls were made', async () => {
  const calls = ['a', 'b'].map(id => ({ id, name: 'add', args: { a: 1, b: 1 } }))
  const stopped = [
    new HumanMessage('Add'),
    new AIMessage({ content: '', tool_calls: calls }),
    new ToolMessage({ content: '2', tool_call_id: 'a' }),
  ]
  const model = new ScriptedModel(['done'])
  const { ask } = await asking(model)
  expect(await ask({}, stopped)).toBe('done')
  expect(model.requests[0]?.messages).toMatchObject([
    { type: 'system' },
    { type: 'human' },
    { type: 'ai' },
    { type: 'tool', tool_call_id: 'a', content: '2' },
    { type: 'tool', tool_call_id: 'b', content: 'Not run: the run was stopped.', status: 'error' },
    { type: 'human', content: 'Hi' },
  ])
})

test('refuses settings that do not fit', async () => {
  const { ask } = await asking(new ScriptedModel([]))
  await expect(ask({ context: { max_tokens: 0 } })).rejects.toThrow(/max_tokens/)
  await expect(ask({ context: { enabled_tools: ['telepathy'] } })).rejects.toThrow(/enabled_tools/)
})

// EVIDENCE-OF docs/reference/errors.md: `context` was passed under `configurable` instead of `context`.
// EVIDENCE-OF docs/reference/graph-rules.md: `system_prompt`, `max_tokens` and `enabled_tools` under `configurable` cause an
//   error.
test('settings under configurable are an error that names context', async () => {
  const { ask } = await asking(new ScriptedModel(['never']))
  await expect(ask({ configurable: { enabled_tools: [], max_tokens: 3 } })).rejects.toMatchObject({
    reason: 'invalid_context',
    message: 'expected max_tokens and enabled_tools in context, got them under configurable',
  })
})

// EVIDENCE-OF docs/reference/graph-rules.md: | Outside the service | `graph.invoke({ messages })` works without limits;
//   `runOf(config)` is `undefined` there
test('the graph works on its own, outside the service, without limits', async () => {
  const { parts } = await asking(
    new ScriptedModel([{ toolCalls: [{ name: 'add', args: { a: 6, b: 7 } }] }, 'It is 13.']),
  )
  const { messages } = await createGraph(parts).invoke({ messages: [new HumanMessage('Six and seven?')] })
  expect(messages.map(({ text }) => text)).toEqual(['Six and seven?', '', '13', 'It is 13.'])
})
