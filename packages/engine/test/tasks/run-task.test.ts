import { priceAt, RunContext, RunFailure } from '@agent-task-service/engine'
import { unsharedStore } from '@agent-task-service/engine/share'
import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { createMask } from '@agent-task-service/wire/masking'
import { Command } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import { createLog } from '../../log/log.ts'
import { Admission } from '../../tasks/admission.ts'
import { createRunTask, type RunTaskOptions } from '../../tasks/run-task.ts'

const SECRET = 'secret-of-the-agent'
const UUID = '6f1d7a52-6b0a-4b46-9d3e-2f3c1d1a9b10'
const tools = [
  tool('broken', () => {
    throw new TypeError('oops')
  }),
  // No message is of this role, which the graph learns first.
  tool('spoil', () => new Command({ update: { messages: [{ role: 'nobody' }] } })),
]
const calls = (name: string) => ({ toolCalls: [{ name }], usage: { input: 3, output: 2 } })

/** Runs a task with a model that follows the script: what was replied, what was logged. */
async function run(script: readonly ScriptedReply[], env: Record<string, string> = {}, task_id = UUID) {
  const price = async () => priceAt({ input: 1_000, output: 1_000 })
  const { post, lines } = await testService(
    { AGENT_TOKENS: SECRET, LOG_ERRORS: 'brief', ...env },
    { models: [{ ...new ScriptedModel(script).named(), price }], tools },
  )
  const reply = await post({ task_id, input: 'Hello' }, { authorization: `Bearer ${SECRET}` })
  return { reply: (await reply.json()) as Record<string, unknown>, lines }
}

test('a success: its text without secrets, its metrics, and a log line', async () => {
  const answer = { text: `it is ${SECRET}`, usage: { input: 2, output: 1 } }
  const { reply, lines } = await run([calls('broken'), answer])
  const metrics = { duration_sec: expect.any(Number), input_tokens: 5, output_tokens: 3, steps: 3 }
  expect(reply).toEqual({ task_id: UUID, status: 'success', output: 'it is [redacted]', metrics })
  expect(lines.at(-1)).toEqual({
    level: 'info',
    time: expect.any(String),
    task_id: UUID,
    token_number: 1,
    status: 'success',
    stop: 'answer',
    ...(reply.metrics as object),
    queued_sec: expect.any(Number),
    models_sec: expect.any(Number),
    tools_sec: expect.any(Number),
    cost_usd: 0.008,
    model: 'scripted',
    tools: ['broken'],
    msg: 'run',
  })
})

// EVIDENCE-OF docs/configuration.md: | `ERROR_METRICS` |
// EVIDENCE-OF docs/reference/errors.md: `metrics` of a failed run is empty, as the interface shows, unless `ERROR_METRICS=filled`; the
//   log line always has the figures.
test.each(['empty', 'filled'])(
  'an error has no text, %s metrics, and no key that someone else quoted',
  async ERROR_METRICS => {
    const quoted = new RunFailure('model_rejected', `bad key sk-Abcdefghij0123456789 and ${SECRET}`)
    const { reply, lines } = await run([calls('broken'), quoted], { ERROR_METRICS })
    const { duration_sec, input_tokens, output_tokens, steps } = lines.at(-1)!
    expect([steps, output_tokens]).toEqual([3, 2])
    expect(reply).toEqual({
      task_id: UUID,
      status: 'error',
      output: '',
      metrics: ERROR_METRICS === 'filled' ? { duration_sec, input_tokens, output_tokens, steps } : {},
      error: 'bad key [redacted] and [redacted]',
    })
  },
)

test('logs an internal fault as an error, everything else as info', async () => {
  const { lines } = await run([calls('spoil')])
  expect(lines).toMatchObject([
    { level: 'error', msg: 'run', stop: 'internal', err: { frames: expect.any(Array) } },
  ])
  expect(JSON.stringify(lines)).not.toContain('nobody')
})

test("a tool's unforeseen failure is a warning", async () => {
  const { lines } = await run([calls('broken'), 'Done.'])
  const warning = {
    level: 'warn',
    msg: 'tool failed',
    task_id: UUID,
    tool: 'broken',
    err: { name: 'TypeError' },
  }
  expect(lines).toMatchObject([warning, { msg: 'run' }])
})

test.each([
  [UUID, UUID],
  ['test-12', 'test-12'],
  [`test-${'1'.repeat(20)}`, `test-${'1'.repeat(20)}`],
  [`test-${'1'.repeat(21)}`, '(invalid)'],
  ['my password', '(invalid)'],
  ['my test-12', '(invalid)'],
])('logs no foreign text from an id: %s is %s', async (id, logged) => {
  const { lines } = await run(['Done.'], {}, id)
  expect(lines).toMatchObject([{ msg: 'run', task_id: logged }])
})

type Run = RunTaskOptions['runner']['run']

const ENDED: Awaited<ReturnType<Run>> = {
  status: 'success',
  output: 'Done.',
  stop: 'answer',
  cut: false,
  durationMs: 1,
  spentMs: { queued: 0, models: 0, tools: 0 },
  retries: 0,
  usage: { inputTokens: 1, outputTokens: 1, steps: 1 },
  cost: { usd: 0, isEstimate: false, cachedTokens: 0 },
  replayed: { steps: 0, tokens: 0, costUsd: 0 },
  model: 'scripted',
  toolsUsed: [],
  unknownEffects: [],
}

/** Runs tasks on an agent whose runs end so; what the agent was given, and what was logged. */
function runTaskOf(outcome: typeof ENDED) {
  const given: Parameters<Run>[0][] = []
  const lines: Record<string, unknown>[] = []
  const runner = {
    toolNames: [],
    context: RunContext,
    async run(task: Parameters<Run>[0]) {
      given.push(task)
      return outcome
    },
  }
  const admission = new Admission(1, 0)
  const mask = createMask([])
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLog({ logLevel: 'info', logErrors: 'brief' }, mask, sink)
  return {
    runTask: createRunTask({ runner, admission, log, mask, errorMetrics: 'empty' }),
    admission,
    given,
    lines,
  }
}

test('what a run cost and what it left open is told if there is any', async () => {
  const begunAt = Date.UTC(2027, 0, 1)
  const effect = { key: 'key-1', tool: 'pay', begunAt, isDeclared: true }
  const request = { task_id: UUID, input: 'Hello' }
  const { signal } = new AbortController()
  const tell = async (outcome: typeof ENDED) => {
    const { runTask, lines } = runTaskOf(outcome)
    return { reply: await runTask({ request, arrivedAt: 7, signal }, () => {}), line: lines.at(-1) }
  }
  const cost = { ...ENDED.cost, cachedTokens: 4 }
  const { reply, line } = await tell({ ...ENDED, cut: true, retries: 2, cost, unknownEffects: [effect] })
  expect(reply).toMatchObject({ unknownEffects: ['"pay";key="key-1";begun="2027-01-01T00:00:00.000Z"'] })
  expect(line).toMatchObject({ msg: 'run', cut: true, retries: 2, cached_tokens: 4 })
  const plain = await tell(ENDED)
  expect(plain.reply).not.toHaveProperty('unknownEffects')
  expect(plain.line).toMatchObject({ duration_sec: 0.001 })
  for (const field of ['cut', 'retries', 'cached_tokens']) expect(plain.line).not.toHaveProperty(field)
})

test('the agent gets the task unchanged, and waits for a slot', async () => {
  const { runTask, admission, given } = runTaskOf(ENDED)
  const { signal } = new AbortController()
  const begun: string[] = []
  const journal = unsharedStore()
  const request = { task_id: UUID, input: 'Hello', config: { max_tokens: 9 } }
  await runTask({ request, arrivedAt: 7, signal }, () => {}, { began: () => void begun.push('run'), journal })
  const [task] = given
  expect(task).toMatchObject({ id: UUID, input: 'Hello', context: { max_tokens: 9 }, arrivedAt: 7 })
  expect(task?.signal).toBe(signal)
  expect(await task?.admit?.(signal)).toEqual(expect.any(Function))
  expect(admission.isFull).toBe(true)
  expect(begun).toEqual(['run'])
  expect(task?.journalStore).toBe(journal)
  expect(task?.waitSignal?.()).toBe(admission.waitSignal)
  // One that leaves the queue has not begun.
  expect(await task?.admit?.(AbortSignal.abort())).toBeUndefined()
  expect(begun).toEqual(['run'])
})
