import type { AgentView } from '@agent-task-service/rehearsal/api'
import type { PlatformParts } from '@agent-task-service/rehearsal/platform'
import { expect, test } from 'vitest'
import { AGENT_TOKEN, testPlatform } from '../platform.ts'
import { stopTime, stubFetch } from '../stubs.ts'

const SECOND = 1_000

/** How an agent's `/health` behaves, and how long it takes in the test's time. */
interface Health {
  status?: number
  body?: unknown
  seconds?: number
  refused?: boolean
}

const well = { status: 'ok', agent_id: 'agent-7', agent_name: 'Seven' }

/** A platform with a scripted agent, in the test's own time. */
function watched(behaviour: () => Health) {
  const pass = stopTime()
  const asked: string[] = []
  const at: number[] = []
  stubFetch(((address: string, { signal }: RequestInit) => {
    const { status = 200, body = well, seconds = 0, refused = false } = behaviour()
    asked.push(address)
    at.push(performance.now() / SECOND)
    return new Promise<Response>((resolve, reject) => {
      signal!.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), {
        once: true,
      })
      const answer = () =>
        refused
          ? reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
          : resolve(Response.json(body, { status }))
      if (seconds === 0) answer()
      else setTimeout(answer, seconds * SECOND)
    })
  }) as typeof fetch)
  const changes: [state: string, cause: string][] = []
  const onChange: PlatformParts['onChange'] = (_id, { state, cause }) => changes.push([state, cause])
  const platform = testPlatform({ onChange, url: 'http://seven' })
  const view = async () => {
    const [{ polls, ...agent }] = (await platform.get<{ agents: [AgentView] }>('/api/agents')).agents
    return { ...agent, polls: polls.length, lastPoll: polls.at(-1) }
  }
  const seconds = (count: number) => pass(count * SECOND)
  return { ...platform, asked, at, view, changes, seconds }
}

test('an agent is unknown before its first answer, available after it, and polled every 30 s', async () => {
  const { start, view, seconds, asked, at } = watched(() => ({ seconds: 1 }))
  expect(await view()).toMatchObject({ state: 'unknown', name: null, polls: 0, failuresInARow: 0 })
  start()
  expect(await view()).toMatchObject({ state: 'unknown', polls: 0 })
  await seconds(1)
  expect(await view()).toEqual({
    id: 'agent-7',
    url: 'http://seven',
    hasReplicas: false,
    underway: [],
    checking: null,
    checked: null,
    name: 'Seven',
    state: 'available',
    since: '2026-01-01T00:00:01.000Z',
    failuresInARow: 0,
    polls: 1,
    lastPoll: { at: '2026-01-01T00:00:00.000Z', ok: true, latencyMs: 1000, cause: null },
  })
  await seconds(95)
  expect(at).toEqual([0, 30, 60, 90])
  expect(new Set(asked)).toEqual(new Set(['http://seven/health']))
  expect((await view()).polls).toBe(4)
})

test('three failures in a row change nothing, the fourth makes it unavailable, the next success available', async () => {
  let health: Health = {}
  const { start, view, seconds, changes } = watched(() => health)
  start()
  await seconds(1)
  health = { refused: true }
  await seconds(30)
  expect(await view()).toMatchObject({ state: 'available', failuresInARow: 1 })
  await seconds(60)
  expect(await view()).toMatchObject({ state: 'available', failuresInARow: 3 })
  await seconds(30)
  expect(await view()).toMatchObject({
    state: 'unavailable',
    since: '2026-01-01T00:02:00.000Z',
    failuresInARow: 4,
    name: 'Seven',
    lastPoll: { ok: false, cause: 'the connection was refused' },
  })
  await seconds(60)
  expect(await view()).toMatchObject({ state: 'unavailable', failuresInARow: 6 })
  health = {}
  await seconds(30)
  expect(await view()).toMatchObject({
    state: 'available',
    since: '2026-01-01T00:03:30.000Z',
    failuresInARow: 0,
  })
  expect(changes).toEqual([
    ['available', '/health answered'],
    ['unavailable', '4 polls of /health failed in a row, the last one: the connection was refused'],
    ['available', '/health answered'],
  ])
})

test('an answer after 4.9 s counts, one after 5.1 s does not', async () => {
  let health: Health = { seconds: 4.9 }
  const { start, view, seconds } = watched(() => health)
  start()
  await seconds(29)
  expect((await view()).lastPoll).toMatchObject({ ok: true, latencyMs: 4_900, cause: null })
  health = { seconds: 5.1 }
  await seconds(30)
  expect(await view()).toMatchObject({
    state: 'available',
    failuresInARow: 1,
    lastPoll: { ok: false, latencyMs: 5_000, cause: 'no complete reply within 5 s' },
  })
})

test('slow answers do not shift the schedule', async () => {
  const { start, seconds, at } = watched(() => ({ seconds: 60 }))
  start()
  await seconds(100)
  expect(at).toEqual([0, 30, 60, 90])
})

test.each<[string, Health, string | null]>([
  ['a good answer with other wrong members', { body: { status: 'ok' } }, null],
  ['503', { status: 503, body: { ...well, status: 'draining' } }, 'expected HTTP 200, got 503'],
  [
    'another status',
    { body: { ...well, status: 'draining' } },
    'status: expected "ok", got the string "draining"',
  ],
  ['no status', { body: {} }, 'status: expected "ok", got nothing'],
  ['no object', { body: ['ok'] }, 'status: expected "ok", got nothing'],
])('%s: a failure, or none', async (_name, health, cause) => {
  const { start, view, seconds } = watched(() => health)
  start()
  await seconds(1)
  expect((await view()).lastPoll).toMatchObject({ ok: cause === null, cause })
})

test("shows an agent's health reply without secrets", async () => {
  const long = `${'x'.repeat(20)} ${AGENT_TOKEN}`
  const { start, view, seconds } = watched(() => ({ body: { status: long, agent_name: AGENT_TOKEN } }))
  start()
  await seconds(1)
  expect(await view()).toMatchObject({
    name: '[redacted]',
    lastPoll: { cause: 'status: expected "ok", got the string "xxxxxxxxxxxxxxxxxxxx [redacted]"' },
  })
})

test('keeps the polls of two hours', async () => {
  const { start, view, seconds } = watched(() => ({}))
  start()
  await seconds(3 * 3_600)
  expect(await view()).toMatchObject({ polls: 240, lastPoll: { at: '2026-01-01T03:00:00.000Z' } })
})

test('a stopped monitor polls no more', async () => {
  const { start, stop, seconds, asked, view } = watched(() => ({ seconds: 2 }))
  start()
  await seconds(1)
  await stop()
  await seconds(100)
  expect(asked).toHaveLength(1)
  expect(await view()).toMatchObject({ state: 'unknown', failuresInARow: 0 })
})
