import { RunContext, RunFailure } from '@agent-task-service/engine'
import { ScriptedModel, testGraph } from '@agent-task-service/engine/testing'
import { createGraph } from '@agent-task-service/test-support/agent/graph'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'
import { createGraphRunner } from '../../graph/invoke-graph.ts'
import { Run } from '../../run/run.ts'

test.each(['shutdown', 'hang_up'] as const)(
  'a call whose model ignores the end of the run (%s) is reported as ended, once',
  async reason => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedModel([{ text: 'Late.', after: gate.promise, ignoresAbort: true }])
    const { parts } = await testGraph(agent, { models: [model.named()], tools: [] })
    const ended: object[] = []
    const end = new AbortController()
    const runner = await createGraphRunner(createGraph(parts), parts, RunContext)
    const outcome = runner.run({
      id: 'test-1',
      input: 'Add.',
      context: {},
      arrivedAt: performance.now(),
      signal: end.signal,
      watch: event => void (/^model_(finished|failed)$/.test(event.type) && ended.push(event)),
    })
    await model.asked(1)
    end.abort(new RunFailure(reason, 'over'))
    const { usage } = await outcome
    expect(ended).toHaveLength(1)
    const [call] = ended
    expect(call).toMatchObject({ error: { reason }, tokens: { inputTokens: usage.inputTokens } })
    expect(call).not.toHaveProperty('reply')
    gate.resolve()
    let turns = 0
    await until(() => ++turns > 20)
    expect(ended).toHaveLength(1)
  },
)

test("a failed try's text is no part of the run's text, even while its tokens are counted", async () => {
  const limits = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10 }
  using run = new Run({ limits, arrivedAt: performance.now() })
  const { callbackHandler, meter } = run
  await callbackHandler.handleChatModelStart({ id: ['any'] } as never, [[]], 'try-1')
  callbackHandler.handleLLMNewToken('Half an answer', undefined, 'try-1')
  expect(callbackHandler.textSoFar).toBe('Half an answer')
  const counted = callbackHandler.handleLLMError(new Error('broken off'), 'try-1')
  expect(callbackHandler.textSoFar).toBe('')
  await counted
  expect(meter.outputTokens).toBeGreaterThan(0)
})
