import { randomUUID } from 'node:crypto'
import { some } from '@agent-task-service/test-support/at-length'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { describe, expect, test, vi } from 'vitest'
import { never } from '../simulation/waits.ts'
import { ANN, Fleet, type ModelRequest, pays, payTool, usage } from './two-replicas.ts'

vi.mock('ioredis', () => import('../simulation/ioredis.ts'))

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
  test.each(some(cases, 4))(
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
