import { expect, test } from 'vitest'
import { RunFailure } from '../../graph/run/failure.ts'
import { createAgent } from '../../graph/run.ts'
import { Toolset } from '../../graph/toolset.ts'
import type { ModelCallEnd, RunTrace, ToolCallEnd } from '../../graph/trace.ts'
import { ScriptedModel } from '../support/scripted-model.ts'
import { until } from '../support/until.ts'
import { add } from './sample-tools.ts'

const never = new Promise<never>(() => {})

/** A trace that keeps what it is told. */
class Record implements RunTrace {
  readonly began: string[] = []
  readonly modelCalls: ModelCallEnd[] = []
  readonly toolCalls: ToolCallEnd[] = []

  modelCall({ model }: Parameters<RunTrace['modelCall']>[0]) {
    this.began.push(`model ${model}`)
    return (end: ModelCallEnd) => void this.modelCalls.push(end)
  }

  toolCall({ tool, callId }: Parameters<RunTrace['toolCall']>[0]) {
    this.began.push(`tool ${tool} ${callId}`)
    return (end: ToolCallEnd) => void this.toolCalls.push(end)
  }
}

function begin(model: ScriptedModel) {
  const limits = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10 }
  const agent = createAgent({
    models: [model.named()],
    tools: Toolset.of([add]),
    systemPrompt: '',
    limits: { ...limits, maxOutputTokens: undefined, maxTotalTokens: undefined },
  })
  const trace = new Record()
  const end = new AbortController()
  const task = { input: 'Add.', settings: {}, arrivedAt: performance.now(), signal: end.signal, trace }
  return { trace, end, outcome: agent.run(task) }
}

test('calls are told as they begin and end, with the tokens that the run counts', async () => {
  const model = new ScriptedModel([
    { toolCalls: [{ name: 'add', args: { a: 1, b: 2 }, id: 'call_1' }], usage: { input: 10, output: 5 } },
    { text: 'It is 3.', usage: { input: 20, output: 4 } },
  ])
  const { trace, outcome } = begin(model)
  expect((await outcome).usage).toMatchObject({ inputTokens: 30, outputTokens: 9 })
  expect(trace.began).toEqual(['model scripted', 'tool add call_1', 'model scripted'])
  expect(trace.modelCalls).toMatchObject([
    { inputTokens: 10, outputTokens: 5, response: { finishReason: 'tool_calls' } },
    { inputTokens: 20, outputTokens: 4, response: { finishReason: 'stop' } },
  ])
  expect(trace.modelCalls[1]?.response?.message()).toMatchObject({ role: 'assistant', text: 'It is 3.' })
  expect(trace.toolCalls).toMatchObject([{ result: '3' }])
  expect([...trace.modelCalls, ...trace.toolCalls].some(({ errorType }) => errorType)).toBe(false)
})

test.each(['shutdown', 'hang_up'] as const)(
  'the run ends (%s) while a model ignores it: its call is told as ended, once',
  async reason => {
    const gate = Promise.withResolvers<void>()
    const model = new ScriptedModel([{ text: 'Late.', after: gate.promise, ignoresAbort: true }])
    const { trace, end, outcome } = begin(model)
    await model.asked(1)
    end.abort(new RunFailure(reason, 'over'))
    const { usage } = await outcome
    const [call, ...others] = trace.modelCalls
    expect(others).toEqual([])
    expect(call).toMatchObject({ errorType: reason, inputTokens: usage.inputTokens })
    expect(call).not.toHaveProperty('response')
    gate.resolve()
    let turns = 0
    await until(() => ++turns > 20)
    expect(trace.modelCalls).toHaveLength(1)
  },
)

test('a call that never ends is told as ended with its run', async () => {
  const model = new ScriptedModel([{ pieces: ['One', ' two'], after: never, ignoresAbort: true }])
  const { trace, end, outcome } = begin(model)
  await model.asked(1)
  let turns = 0
  await until(() => ++turns > 20)
  end.abort(new RunFailure('deadline', 'over'))
  const { usage, status } = await outcome
  expect(status).toBe('timeout')
  expect(trace.modelCalls).toMatchObject([
    { errorType: 'deadline', ...{ inputTokens: usage.inputTokens, outputTokens: usage.outputTokens } },
  ])
  expect(usage.outputTokens).toBeGreaterThan(0)
})
