import type { GraphParts } from '@agent-task-service/engine'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool } from '@agent-task-service/test-support/sample-tools'
import type { BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'

type Node = (parts: GraphParts, config: RunnableConfig) => Promise<BaseMessage[]>

const used: string[] = []
const tools = ['first', 'second'].map(name => tool(name, () => void used.push(name)))

/** A service whose graph is this node, which answers with the last message. */
async function serve(node: Node, env: Record<string, string> = {}, reply: ScriptedReply = 'Done.') {
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async (_, config) => ({ messages: await node(parts, config) }))
      .addEdge(START, 'own')
      .compile()
  const model = new ScriptedModel(() => reply)
  const service = await testService({ ...agent, graph }, { env, models: [model.named()], tools })
  return { ...service, model }
}

const asksAtOnce =
  (...texts: readonly string[]): Node =>
  ({ model }, config) =>
    Promise.all(texts.map(text => model.invoke(text, config)))

// EVIDENCE-OF docs/guides/graph.md: Parallel calls cannot exceed the budget together: each takes its step before it begins, and under
//   a token cap they run one at a time.
// EVIDENCE-OF docs/reference/threat-model.md: A run has no end, in steps, tokens or time
test('calls that begin together stay within the steps', async () => {
  const { run, model, lines } = await serve(asksAtOnce('one', 'two', 'three'), { MAX_STEPS: '2' })
  await run('Go on')
  expect(lines).toMatchObject([{ stop: 'max_steps', steps: 2 }])
  expect(model.requests).toHaveLength(2)
})

// EVIDENCE-OF docs/reference/graph-rules.md: It never begins, and the run ends with an `error` that names the limit.
test('a tool that the budget refuses never starts', async () => {
  const node: Node = async ({ tools }, config) => await Promise.all(tools.map(one => one.invoke({}, config)))
  const { run, lines } = await serve(node, { MAX_STEPS: '1' })
  await run('Go on')
  expect(lines).toMatchObject([{ stop: 'max_steps' }])
  expect(used).not.toContain('second')
})

// EVIDENCE-OF docs/guides/graph.md: Parallel calls cannot exceed the budget together: each takes its step before it begins, and under
//   a token cap they run one at a time.
// EVIDENCE-OF docs/reference/threat-model.md: A caller may spend the whole budget
test('calls that begin together share what is left of a cap', async () => {
  const reply = { text: 'Done.', usage: { input: 5, output: 4 } }
  const { run, model } = await serve(asksAtOnce('one', 'two'), {}, reply)
  expect(await run('Go on', { max_tokens: 10 })).toMatchObject({
    metrics: { input_tokens: 10, output_tokens: 8, steps: 2 },
  })
  expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([10, 6])
})

test('calls without a cap run in parallel', async () => {
  const both = Promise.withResolvers<void>()
  const { run, model } = await serve(asksAtOnce('one', 'two'), {}, { text: 'Done.', after: both.promise })
  const reply = run('Go on')
  await model.asked(2)
  both.resolve()
  expect(await reply).toMatchObject({ status: 'success', output: 'Done.' })
})

test('a call with its own callbacks and signal counts in the run, and ends with it', async () => {
  const { signal } = new AbortController()
  const node: Node = async ({ model }, config) => [
    await model.invoke('one', { ...config, callbacks: [], signal }),
  ]
  const { app, model, lines } = await serve(node, {}, { text: 'late', after: new Promise(() => {}) })
  const caller = new AbortController()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ task_id: 'test-1', input: 'Go on' })
  const reply = app.request('/run', { method: 'POST', headers, body, signal: caller.signal })
  await model.asked(1)
  caller.abort()
  expect(await (await reply).json()).toMatchObject({ error: 'the caller hung up' })
  expect(lines).toMatchObject([{ stop: 'hang_up', steps: 1 }])
  expect(model.requests[0]?.signal?.aborted).toBe(true)
})
