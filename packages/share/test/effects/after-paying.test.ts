import { randomUUID } from 'node:crypto'
import { some } from '@agent-task-service/test-support/at-length'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { describe, expect, test } from 'vitest'
import type { SimulatedRedis } from '../simulation/redis.ts'
import { never } from '../simulation/waits.ts'
import { ANN, Fleet, type ModelRequest, pays, payTool, usage } from '../two-replicas.ts'

const RECEIPT = 'receipt 1'
const LIMITS = { RUN_TIMEOUT_SEC: '20', ANSWER_BY_SEC: '20' }

type Script = Parameters<Fleet['replica']>[1]

/** What a bank may answer after it has paid. */
const ANSWERS: Record<string, () => unknown> = {
  'HTTP 200': () => RECEIPT,
  'HTTP 402': () => fails('the bank answered HTTP 402'),
  'HTTP 500': () => fails('the bank answered HTTP 500'),
  'a reset': () => fails('terminated'),
  silence: never,
}

/** What the model does in the task's first run. */
const RUNS: Record<string, Script> = {
  'goes on, and calls again': ({ messages }) => {
    const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
    const isOver = results.includes(RECEIPT) || results.length === 3
    return isOver ? { text: results.at(-1) ?? '', usage } : { toolCalls: [{ name: 'pay', args: ANN }], usage }
  },
  fails: request => (hasCalled(request) ? new Error('the model is gone') : pays(ANN)(request)),
  'times out': request => (hasCalled(request) ? never() : pays(ANN)(request)),
}

function fails(message: string): never {
  throw new Error(message)
}

function hasCalled({ messages }: ModelRequest): boolean {
  return messages.some(({ type }) => type === 'tool')
}

interface Bank {
  readonly answer: () => unknown
  /** Whether it does nothing twice with the same key. */
  readonly honoursKeys: boolean
  readonly hasLookup: boolean
}

/** A tool that pays, and the keys with which the bank has done so. */
function payAt({ answer, honoursKeys, hasLookup }: Bank) {
  const paid: string[] = []
  const work = (key: string) => {
    if (!honoursKeys || !paid.includes(key)) paid.push(key)
    return answer()
  }
  const lookup = async (key: string) => (paid.includes(key) ? RECEIPT : undefined)
  const metadata = { readOnlyHint: false, timeLimitMs: 2_000 }
  return { paid, pay: payTool([], work, { metadata, ...(hasLookup && { lookup }) }) }
}

/** Runs a task, and sends it again to a model that calls the tool once. */
async function sendTwice(pay: ReturnType<typeof payTool>, first: Script, env: Record<string, string>) {
  const fleet = new Fleet()
  const task = { task_id: randomUUID(), input: 'Pay 5 to Ann' }
  let script = first
  const { service } = await fleet.replica([pay], request => script(request), { ...LIMITS, ...env })
  const send = async () => {
    const response = await fleet.after(service.post(task))
    const reply = (await response.json()) as RunResponse
    return { ...reply, unknown: response.headers.get('effect-unknown') ?? '' }
  }
  const replies = [await send()]
  script = pays(ANN)
  replies.push(await send())
  const named = service.lines.filter(({ msg }) => String(msg).startsWith('effect unknown'))
  await fleet.end()
  return { replies, named }
}

describe.each([
  ['one process', { REDIS_URL: '' }],
  ['with Redis', {}],
])('a bank has paid: %s', (_where, env: Record<string, string>) => {
  const cases = Object.keys(ANSWERS).flatMap(answer =>
    Object.keys(RUNS).map(run => [answer, run] as [string, string]),
  )
  // EVIDENCE-OF docs/reference/fleet.md: The same call in the same run is looked up, or refused if its tool has no `lookup`;
  //   one whose service honours keys is made again.
  // EVIDENCE-OF docs/guides/tools.md: Should the model call again, or the task be sent again, `lookup` tells; without one, the same
  //   call is refused.
  test.each(some(cases, 8))(
    'it answers with %s, the run %s, and the task is sent again: it pays once',
    async (...of) => {
      const [answer, run] = of
      for (const [hasLookup, honoursKeys] of SERVICES) {
        const { pay, paid } = payAt({ answer: ANSWERS[answer]!, honoursKeys, hasLookup })
        const ends = await sendTwice(pay, RUNS[run]!, env)
        const seen = JSON.stringify({ hasLookup, honoursKeys, ...ends })
        expect(paid, seen).toHaveLength(1)
        const paidWith = answer === 'HTTP 200' || hasLookup
        if (paidWith) expect(ends.replies[1], seen).toMatchObject({ status: 'success', output: RECEIPT })
        else expectTold(ends, paid[0]!, seen)
      }
    },
  )
})

const SERVICES = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const

/** Each reply names the call of which nobody knows whether it happened, and so does the log. */
function expectTold(
  { replies, named }: Awaited<ReturnType<typeof sendTwice>>,
  key: string,
  seen: string,
): void {
  for (const reply of replies)
    expect(reply.status === 'success' ? reply.unknown : reply.error, seen).toContain(key)
  expect(named[0], seen).toMatchObject({ level: 'error', tool: 'pay', key })
}

/** Begins a fault, and returns what ends it. */
const FAULTS: Record<string, (redis: SimulatedRedis, whenBegun: () => void) => () => void> = {
  'is read-only': redis => refuses(redis, "READONLY You can't write against a read only replica."),
  'is full': redis => refuses(redis, "OOM command not allowed when used memory > 'maxmemory'."),
  'holds something else': redis =>
    refuses(redis, 'WRONGTYPE Operation against a key holding the wrong kind of value'),
  'fails over to one without the last writes': (_redis, takeBack) => {
    takeBack()
    return () => undefined
  },
  'is 300 ms late': redis => {
    redis.lateMs = 300
    return () => {
      redis.lateMs = 0
    }
  },
  'has a clock that goes back by a minute': redis => {
    redis.clockMs = -60_000
    return () => undefined
  },
  'is down': redis => {
    redis.isDown = true
    return () => {
      redis.isDown = false
    }
  },
}

function refuses(redis: SimulatedRedis, refusal: string): () => void {
  redis.refusal = refusal
  return () => {
    redis.refusal = undefined
  }
}

const MOMENTS = ['before the call', 'during the call', 'after the call'] as const

test.each(some(Object.keys(FAULTS), 6))(
  'Redis %s: a payment is made once, wherever its task is sent again',
  async fault => {
    for (const moment of MOMENTS) {
      const fleet = new Fleet()
      const paid: string[] = []
      let end = () => {}
      let takeBack = () => {}
      const begin = async (now: (typeof MOMENTS)[number]) => {
        if (now !== moment) return
        end = FAULTS[fault]!(fleet.redis, takeBack)
        await new Promise(resolve => setTimeout(resolve, 3_000))
      }
      const work = async (key: string) => {
        paid.push(key)
        await begin('during the call')
        return RECEIPT
      }
      const calls = pays(ANN)
      const first = await fleet.replica([payTool([], work)], async request => {
        const hasPaid = request.messages.some(({ type }) => type === 'tool')
        await begin(hasPaid ? 'after the call' : 'before the call')
        return calls(request)
      })
      const second = await fleet.replica([payTool([], work)], calls)
      takeBack = fleet.redis.save()
      const task_id = randomUUID()
      const replies = [await first.run(task_id), await second.run(task_id)]
      end()
      await fleet.pass(5_000)
      replies.push(await first.run(task_id), await second.run(task_id))
      const seen = JSON.stringify({ moment, replies })
      expect(paid.length, seen).toBeLessThanOrEqual(1)
      // The one that has paid tells it, and no other says that it has.
      if (paid.length > 0) expect(replies[0], seen).toMatchObject({ status: 'success', output: RECEIPT })
      for (const { output, error = '' } of replies as { output: string; error?: string }[])
        expect(output + error, seen).toMatch(/receipt 1|cannot be recorded now|outcome is unknown/)
      await fleet.end()
    }
  },
)

test('a suspended replica wakes up after another one has taken its payment over: it is not made again', async () => {
  const fleet = new Fleet()
  const paid: string[] = []
  const { promise: asleep, resolve: fallAsleep } = Promise.withResolvers<void>()
  const calls = pays(ANN)
  const pay = payTool([], async key => {
    paid.push(key)
    return RECEIPT
  })
  const first = await fleet.replica([pay], async request => {
    if (!request.messages.some(({ type }) => type === 'tool')) return calls(request)
    fallAsleep()
    await new Promise(resolve => setTimeout(resolve, 8_000))
    return calls(request)
  })
  const second = await fleet.replica([pay], calls)
  const task_id = randomUUID()
  const left = first.service.run('Pay 5 to Ann', undefined, task_id)
  await fleet.after(asleep)
  first.client.link = 'cut'
  await fleet.pass(5_000)
  expect(await second.run(task_id)).toMatchObject({ status: 'success', output: RECEIPT })
  first.client.link = 'open'
  expect(await fleet.after(left)).toMatchObject({ status: 'success', output: RECEIPT })
  expect(paid).toHaveLength(1)
})
