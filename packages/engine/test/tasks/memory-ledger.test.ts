import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { describeLedger } from '@agent-task-service/test-support/ledger-contract'
import { testService } from '@agent-task-service/test-support/service'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { MemoryLedger } from '../../tasks/memory-ledger.ts'

// EVIDENCE-OF docs/reference/fleet.md [all callers hang up, the last one elsewhere: the model call ends]: A run is cancelled
//   when its last caller, at any replica, hangs up.
// EVIDENCE-OF docs/guides/deployment.md [sent twice while it runs: one run, exactly the same reply]: One replica handles hundreds of
//   concurrent runs (Memory), and joins, replays and cancels by itself.
// EVIDENCE-OF docs/reference/errors.md [all callers hang up, the last one elsewhere: the model call ends]: Every caller hung up, so the
//   run was cancelled; nobody reads the reply
describeLedger('one process', {
  async open(env, model) {
    // What would take long ends when the test says so.
    const time = env.RUN_TIMEOUT_SEC === undefined ? undefined : fakeTime()
    const service = await testService(env, { models: [model.named()] })
    const joined = async () => {
      while (service.tasks.callers < 2) await eventLoopTurn()
    }
    return { first: service, second: service, joined, ...time }
  },
  ledger: async replayTtlMs => new MemoryLedger(replayTtlMs),
})

const metrics = { duration_sec: 1, input_tokens: 1, output_tokens: 1, steps: 1 }
const options = { mayRun: true, timeLeftMs: 1000, signal: new AbortController().signal }

/** Which of these answers can be replayed after all have been given. */
async function kept(ledger: MemoryLedger, outputs: readonly string[]): Promise<number[]> {
  const claim = async (index: number) => await ledger.claim({ id: String(index), content: 'same' }, options)
  for (const [index, output] of outputs.entries()) {
    const claimed = await claim(index)
    const response: RunResponse = { task_id: String(index), status: 'success', output, metrics }
    if (claimed.kind === 'run') await claimed.lease.finish(response)
  }
  const claims = await Promise.all(outputs.map((_, index) => claim(index)))
  return [...claims.keys()].filter(index => claims[index]?.kind === 'reply')
}

// EVIDENCE-OF docs/guides/deployment.md: replays, at most 32 MB, and replies that wait for slow readers, at most 64 MB
// EVIDENCE-OF docs/reference/threat-model.md: A caller who fills the memory for bodies keeps other large tasks out.
test.each([
  { name: 'letters', letter: 'x', bytes: 3 },
  { name: 'characters of three bytes', letter: '€', bytes: 5 },
])('keeps replays of 32 MB at most: $name', async ({ letter, bytes }) => {
  const length = 100_000
  const { length: count } = await kept(new MemoryLedger(60_000), Array(120).fill(letter.repeat(length)))
  expect(count).toBe(Math.floor((32 * 2 ** 20) / (bytes * length + 620)))
})

test('a very long answer displaces nobody else', async () => {
  const outputs = ['short', 'x'.repeat(10_000_000), 'short', 'x'.repeat(10_000_000)]
  expect(await kept(new MemoryLedger(60_000), outputs)).toEqual([0, 2])
})

const pay = { key: 'key-1', tool: 'pay', begunAt: 1, isDeclared: true }
const paid = { ...pay, outcome: { kind: 'done', result: 'paid' } } as const
const notPaid = { ...pay, key: 'key-2', outcome: { kind: 'not_done' } } as const
const success: RunResponse = { task_id: '1', status: 'success', output: 'done', metrics }
const failure: RunResponse = { task_id: '1', status: 'error', output: '', metrics: {}, error: 'no' }

/** Claims of one task; `run` expects a lease. */
function taskIn(ledger: MemoryLedger, id = '1') {
  const claim = async () => await ledger.claim({ id, content: 'same' }, options)
  const run = async () => {
    const claimed = await claim()
    if (claimed.kind !== 'run') throw new Error(`expected a lease, got ${claimed.kind}`)
    return claimed.lease
  }
  return { claim, run }
}

test('of two runs of a task only the first one may have effects, and the next one waits for it', async () => {
  const { claim, run } = taskIn(new MemoryLedger(0))
  const [first, second] = [await run(), await run()]
  expect([await first.journal.writeEffect(pay), await second.journal.writeEffect(notPaid)]).toEqual([
    true,
    false,
  ])
  expect(await first.journal.writeEffect(paid)).toBe(true)
  await second.finish(success)
  const waiting = await claim()
  expect(waiting.kind).toBe('wait')
  let hasChanged = false
  void (waiting.kind === 'wait' && waiting.changed.then(() => (hasChanged = true)))
  await eventLoopTurn()
  expect(hasChanged).toBe(false)
  await first.finish(failure)
  await eventLoopTurn()
  expect(hasChanged).toBe(true)
  expect((await run()).journal.effects).toEqual([paid])
})

test('a run that knows of effects is alone from the start, and passes them on until the task succeeds', async () => {
  const { claim, run } = taskIn(new MemoryLedger(0))
  const first = await run()
  await first.journal.writeEffect(paid)
  await first.journal.writeEffect(notPaid)
  await first.release()
  for (const end of ['finish', 'release', 'success'] as const) {
    const next = await run()
    expect((await claim()).kind).toBe('wait')
    expect(next.journal.effects[0]).toEqual(paid)
    if (end === 'release') await next.release()
    else await next.finish(end === 'finish' ? failure : success)
  }
  expect((await run()).journal.effects).toEqual([])
})

test('nothing is kept of calls without an effect, of undeclared ones, and of those after the end', async () => {
  const { run } = taskIn(new MemoryLedger(0))
  const first = await run()
  expect(await first.journal.writeEffect({ ...paid, isDeclared: false })).toBe(true)
  await first.journal.writeEffect(notPaid)
  await first.release()
  expect(await first.journal.writeEffect(paid)).toBe(false)
  expect(await first.journal.writeEffect({ ...paid, isDeclared: false })).toBe(true)
  expect((await run()).journal.effects).toEqual([])
})

test('effects of 32 MB are kept at most; it is told whose are forgotten', async () => {
  const forgotten: string[] = []
  const ledger = new MemoryLedger(0, taskId => void forgotten.push(taskId))
  const fail = async (id: string, result: string) => {
    const lease = await taskIn(ledger, id).run()
    await lease.journal.writeEffect({ ...paid, outcome: { kind: 'done', result } })
    await lease.finish(failure)
  }
  for (const id of ['1', '2', '3', '1']) await fail(id, 'x'.repeat(5_000_000))
  await (await taskIn(ledger, '3').run()).finish(success)
  expect(forgotten).toEqual([])
  for (const id of ['4', '5']) await fail(id, 'x'.repeat(5_000_000))
  expect(forgotten).toEqual(['2'])
})
