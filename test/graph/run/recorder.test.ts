import { expect, test } from 'vitest'
import { createAgent } from '../../../graph/agent.ts'
import { createModel } from '../../../graph/model/model-with-fallbacks.ts'
import type { ModelEnded, RunEvent, ToolEnded } from '../../../graph/run/events.ts'
import { RunFailure } from '../../../graph/run/failure.ts'
import { Run } from '../../../graph/run/run.ts'
import type { AgentContext } from '../../../graph/state.ts'
import { ScriptedModel } from '../../support/scripted-model.ts'
import { until } from '../../support/until.ts'
import { add } from '../sample-tools.ts'

/** The events of a run, sorted. */
class Record {
  readonly began: string[] = []
  readonly modelCalls: ModelEnded[] = []
  readonly toolCalls: ToolEnded[] = []

  take(event: RunEvent): void {
    if (event.type === 'model_started') this.began.push(`model ${event.model}`)
    if (event.type === 'tool_started') this.began.push(`tool ${event.tool} ${event.callId}`)
    if (event.type === 'model_finished' || event.type === 'model_failed') this.modelCalls.push(event)
    if (event.type === 'tool_finished') this.toolCalls.push(event)
  }
}

function begin(model: ScriptedModel) {
  const limits = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10 }
  const agent = createAgent({ model: createModel([model.named()]), tools: [add], systemPrompt: '', limits })
  const record = new Record()
  const end = new AbortController()
  const outcome = agent.run({
    id: 'test-1',
    input: 'Add.',
    context: {} as AgentContext,
    arrivedAt: performance.now(),
    signal: end.signal,
    watch: event => record.take(event),
  })
  return { record, end, outcome }
}

test('reports calls as they begin and end, with the tokens that the run counts', async () => {
  const model = new ScriptedModel([
    { toolCalls: [{ name: 'add', args: { a: 1, b: 2 }, id: 'call_1' }], usage: { input: 10, output: 5 } },
    { text: 'It is 3.', usage: { input: 20, output: 4 } },
  ])
  const { record, outcome } = begin(model)
  expect((await outcome).usage).toMatchObject({ inputTokens: 30, outputTokens: 9 })
  expect(record.began).toEqual(['model scripted', 'tool add call_1', 'model scripted'])
  expect(record.modelCalls).toMatchObject([
    { inputTokens: 10, outputTokens: 5, reply: { finishReason: 'tool_calls' } },
    { inputTokens: 20, outputTokens: 4, reply: { finishReason: 'stop' } },
  ])
  expect(record.modelCalls[1]?.reply?.message()).toMatchObject({ role: 'assistant', text: 'It is 3.' })
  expect(record.toolCalls).toMatchObject([{ result: '3' }])
  expect([...record.modelCalls, ...record.toolCalls].some(({ error }) => error)).toBe(false)
})

test.each(['shutdown', 'hang_up'] as const)(
  'a call whose model ignores the end of the run (%s) is reported as ended, once',
  async reason => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedModel([{ text: 'Late.', after: gate.promise, ignoresAbort: true }])
    const { record, end, outcome } = begin(model)
    await model.asked(1)
    end.abort(new RunFailure(reason, 'over'))
    const { usage } = await outcome
    const [call, ...others] = record.modelCalls
    expect(others).toEqual([])
    expect(call).toMatchObject({ error: { reason }, inputTokens: usage.inputTokens })
    expect(call).not.toHaveProperty('reply')
    gate.resolve()
    let turns = 0
    await until(() => ++turns > 20)
    expect(record.modelCalls).toHaveLength(1)
  },
)

test("a failed try's text is no part of the run's text, even while its tokens are counted", async () => {
  const limits = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10 }
  using run = new Run({ limits, arrivedAt: performance.now() })
  const { recorder, meter } = run
  await recorder.handleChatModelStart({ id: ['any'] } as never, [[]], 'try-1')
  recorder.handleLLMNewToken('Half an answer', undefined, 'try-1')
  expect(recorder.textSoFar).toBe('Half an answer')
  const counted = recorder.handleLLMError(new Error('broken off'), 'try-1')
  expect(recorder.textSoFar).toBe('')
  await counted
  expect(meter.outputTokens).toBeGreaterThan(0)
})
