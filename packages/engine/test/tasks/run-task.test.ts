import { RunContext } from '@agent-task-service/engine'
import { text, toolFailed } from '@agent-task-service/test-support/run-events'
import { createMask } from '@agent-task-service/wire/masking'
import { expect, test } from 'vitest'
import { createLog } from '../../log/log.ts'
import { Admission } from '../../tasks/admission.ts'
import { createRunTask, type RunTaskParts, taskIdForLog } from '../../tasks/run-task.ts'

type Run = RunTaskParts['agent']['run']
type Task = Parameters<Run>[0]
type Outcome = Awaited<ReturnType<Run>>

const SECRET = 'secret-of-the-agent'
const usage = { inputTokens: 5, outputTokens: 3, steps: 2 }
const outcome: Outcome = {
  status: 'success',
  output: `it is ${SECRET}`,
  stop: 'answer',
  cut: false,
  durationMs: 1234.4,
  usage,
  cost: { usd: 0.01, isEstimate: false, cachedTokens: 0 },
  model: 'first-model',
  toolsUsed: ['calculator'],
  unknownEffects: [],
}
const METRICS = { duration_sec: 1.234, input_tokens: 5, output_tokens: 3, steps: 2 }
const UUID = '6f1d7a52-6b0a-4b46-9d3e-2f3c1d1a9b10'

/** Runs a task with a scripted agent: what the agent was given, what was logged, what was replied. */
async function run(ends: Partial<Outcome>, errorMetrics: 'empty' | 'filled' = 'empty', id = UUID) {
  const lines: Record<string, unknown>[] = []
  const mask = createMask([SECRET])
  const log = createLog({ logLevel: 'info', logErrors: 'brief' }, mask, {
    write: line => void lines.push(JSON.parse(line)),
  })
  const given: Task[] = []
  const agent = {
    toolNames: [],
    context: RunContext,
    async run(task: Task) {
      given.push(task)
      task.watch?.(text('hi'))
      task.watch?.(toolFailed(new TypeError('oops')))
      return { ...outcome, ...ends }
    },
  }
  const admission = new Admission(1, 0)
  const runTask = createRunTask({ agent, admission, log, mask, errorMetrics })
  const seen: unknown[] = []
  const signal = new AbortController().signal
  const watch = (event: unknown) => void seen.push(event)
  const begun: string[] = []
  const began = () => void begun.push('run')
  const store = { runId: 'run-1', earlier: [], write: async () => true }
  const request = { task_id: id, input: 'Hello', config: { max_tokens: 9 } }
  const reply = await runTask({ request, arrivedAt: 7, signal }, watch, { began, effects: store })
  return { reply, lines, seen, admission, signal, task: given[0]!, begun, store }
}

test('a success: its text without secrets, its metrics, and a log line', async () => {
  const { reply, lines } = await run({})
  expect(reply).toEqual({ task_id: UUID, status: 'success', output: 'it is [redacted]', metrics: METRICS })
  const facts = {
    task_id: UUID,
    status: 'success',
    stop: 'answer',
    ...METRICS,
    cost_usd: 0.01,
    model: 'first-model',
    tools: ['calculator'],
  }
  expect(lines.at(-1)).toEqual({ level: 'info', time: expect.any(String), ...facts, msg: 'run' })
})

test('a timeout has its text, its metrics and the reason', async () => {
  const { reply } = await run({ status: 'timeout', output: 'half', stop: 'deadline', error: 'too late' })
  expect(reply).toEqual({
    task_id: UUID,
    status: 'timeout',
    output: 'half',
    metrics: METRICS,
    error: 'too late',
  })
})

test.each([
  ['empty', {}],
  ['filled', METRICS],
] as const)(
  'an error has no text, %s metrics, and no key that someone else quoted',
  async (errorMetrics, metrics) => {
    const error = `bad key sk-Abcdefghij0123456789 and ${SECRET}`
    const { reply } = await run({ status: 'error', stop: 'model_rejected', error }, errorMetrics)
    const told = 'bad key [redacted] and [redacted]'
    expect(reply).toEqual({ task_id: UUID, status: 'error', output: '', metrics, error: told })
  },
)

test('logs an internal fault as an error, everything else as info', async () => {
  const cause = new RangeError('secret words')
  const { lines } = await run({ status: 'error', stop: 'internal', error: 'the agent failed', cause })
  expect(lines.at(-1)).toMatchObject({ level: 'error', msg: 'run', err: { name: 'RangeError' } })
  expect(JSON.stringify(lines)).not.toContain('words')
})

test("the watcher sees every event, and a tool's unforeseen failure is a warning", async () => {
  const { seen, lines } = await run({})
  expect(seen).toMatchObject([{ type: 'text' }, { type: 'tool_finished' }])
  expect(lines[0]).toMatchObject({
    level: 'warn',
    msg: 'tool failed',
    task_id: UUID,
    tool: 'broken',
    err: { name: 'TypeError' },
  })
  expect(lines).toHaveLength(2)
})

test('the agent gets the task unchanged, and waits for a slot', async () => {
  const { task, admission, signal, begun, store } = await run({})
  expect(task).toMatchObject({ id: UUID, input: 'Hello', context: { max_tokens: 9 }, arrivedAt: 7 })
  expect(task.signal).toBe(signal)
  expect(await task.admit?.(signal)).toEqual(expect.any(Function))
  expect(admission.isFull).toBe(true)
  expect(begun).toEqual(['run'])
  expect(task.effectStore).toBe(store)
})

test.each([
  [UUID, UUID],
  ['test-12', 'test-12'],
  [`test-${'1'.repeat(20)}`, `test-${'1'.repeat(20)}`],
  [`test-${'1'.repeat(21)}`, '(invalid)'],
  ['my password', '(invalid)'],
])('logs no foreign text from an id: %s is %s', (id, logged) => {
  expect(taskIdForLog(id)).toBe(logged)
})
