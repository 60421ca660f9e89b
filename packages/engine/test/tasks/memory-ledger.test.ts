import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { describeLedger } from '@agent-task-service/test-support/ledger-contract'
import { testService } from '@agent-task-service/test-support/service'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { MemoryLedger } from '../../tasks/memory-ledger.ts'

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

/** The number of these answers that can be replayed after all have been given. */
async function kept(ledger: MemoryLedger, outputs: readonly string[]): Promise<number> {
  const claim = async (index: number) => await ledger.claim({ id: String(index), content: 'same' }, options)
  for (const [index, output] of outputs.entries()) {
    const claimed = await claim(index)
    const response: RunResponse = { task_id: String(index), status: 'success', output, metrics }
    if (claimed.kind === 'run') await claimed.lease.finish(response)
  }
  const claims = await Promise.all(outputs.map((_, index) => claim(index)))
  return claims.filter(({ kind }) => kind === 'reply').length
}

test.each([
  { name: 'letters', letter: 'x', bytes: 3 },
  { name: 'characters of three bytes', letter: '€', bytes: 5 },
])('keeps replays of 32 MB at most: $name', async ({ letter, bytes }) => {
  const length = 100_000
  const count = await kept(new MemoryLedger(60_000), Array(120).fill(letter.repeat(length)))
  expect(count).toBe(Math.floor((32 * 2 ** 20) / (bytes * length + 620)))
})

test('a very long answer displaces nobody else', async () => {
  const outputs = ['short', 'x'.repeat(10_000_000), 'short', 'x'.repeat(10_000_000)]
  expect(await kept(new MemoryLedger(60_000), outputs)).toBe(2)
})
