import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ShortOutage, type WaitEnd } from '../../model/short-outage.ts'

const NEVER = new AbortController().signal
const MINUTE = 60_000

beforeEach(() => {
  vi.useFakeTimers()
  // No jitter.
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  // Whatever happened, nobody waits any more.
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

interface Asked {
  readonly leftMs?: number
  readonly retryAfterMs?: number
  readonly waitSignal?: AbortSignal
  readonly signal?: AbortSignal
}

/** A call that has been refused. `ends` says how its waits ended, and after how many seconds. */
function refused(outage: ShortOutage, options: Asked = {}) {
  const call = { ends: [] as [WaitEnd | 'aborted', number][], refuse, leave: () => outage.leave(call) }
  function refuse(more: Asked = {}) {
    const begun = performance.now()
    const wait = { leftMs: MINUTE, waitSignal: NEVER, signal: NEVER, ...options, ...more }
    const end = (how: WaitEnd | 'aborted') => call.ends.push([how, (performance.now() - begun) / 1000])
    outage.wait(call, wait).then(end, () => end('aborted'))
  }
  refuse()
  return call
}

test('pauses grow from 0.5 s to 4, and the last one ends when the patience does', async () => {
  const call = refused(new ShortOutage(), { leftMs: MINUTE })
  for (const leftMs of [50_000, 40_000, 30_000, 20_000, 2_500]) {
    await vi.advanceTimersToNextTimerAsync()
    call.refuse({ leftMs })
  }
  await vi.advanceTimersByTimeAsync(2_500)
  expect(call.ends).toEqual([0.5, 1, 2, 4, 4, 2.5].map(pause => ['again', pause]))
  call.refuse({ leftMs: 0 })
  await vi.advanceTimersByTimeAsync(0)
  expect(call.ends.at(-1)).toEqual(['no_time', 0])
})

test('a Retry-After counts as it is three times, even 0; then it only makes a pause longer', async () => {
  const call = refused(new ShortOutage(), { retryAfterMs: 0 })
  for (const retryAfterMs of [0, 3_000, 0, 1_500, 0]) {
    await vi.advanceTimersByTimeAsync(3_000)
    call.refuse({ retryAfterMs })
  }
  await vi.advanceTimersByTimeAsync(3_000)
  expect(call.ends).toEqual([0, 0, 3, 0.5, 1.5, 2].map(pause => ['again', pause]))
  call.leave()
})

test('one call tries for all: the others wait until the model works on it', async () => {
  const outage = new ShortOutage()
  const [probe, second, third] = [refused(outage), refused(outage), refused(outage, { retryAfterMs: 9_000 })]
  await vi.advanceTimersByTimeAsync(500)
  probe.refuse()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([probe.ends.length, second.ends, third.ends]).toEqual([2, [], []])
  // A call that the model had begun to serve before the outage proves nothing.
  outage.serves({})
  outage.serves(probe)
  await vi.advanceTimersByTimeAsync(0)
  expect(second.ends).toEqual([['again', 1.5]])
  // Nobody tries sooner than the provider asked it to.
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(third.ends).toEqual([['again', 9]])
})

test('a probe that gives up leaves its place to the call that has waited longest', async () => {
  const outage = new ShortOutage()
  const hangUp = new AbortController()
  const probe = refused(outage, { signal: hangUp.signal })
  await vi.advanceTimersByTimeAsync(100)
  const [second, third] = [refused(outage), refused(outage)]
  hangUp.abort()
  await vi.advanceTimersByTimeAsync(0)
  probe.leave()
  await vi.advanceTimersByTimeAsync(400)
  expect([second.ends, third.ends]).toEqual([[['again', 0.4]], []])
  second.leave()
  await vi.advanceTimersByTimeAsync(0)
  expect(third.ends).toEqual([['again', 0.4]])
  third.leave()
})

test('a try that is not refused within 5 s is one that the model works on', async () => {
  const outage = new ShortOutage()
  const [probe, second] = [refused(outage), refused(outage)]
  await vi.advanceTimersByTimeAsync(5_499)
  expect([probe.ends, second.ends]).toEqual([[['again', 0.5]], []])
  await vi.advanceTimersByTimeAsync(2)
  expect(second.ends).toEqual([['again', expect.closeTo(5.5)]])
})

test('each call waits no longer than it may, and leaves at once when it ends or others need its slot', async () => {
  const outage = new ShortOutage()
  const [waitSignal, end] = [new AbortController(), new AbortController()]
  const probe = refused(outage)
  const short = refused(outage, { leftMs: 600 })
  const unwaited = refused(outage, { waitSignal: waitSignal.signal })
  const ended = refused(outage, { signal: end.signal })
  await vi.advanceTimersByTimeAsync(600)
  expect([short.ends, unwaited.ends, ended.ends]).toEqual([[['given_up', 0.6]], [], []])
  waitSignal.abort()
  end.abort(new Error('hung up'))
  await vi.advanceTimersByTimeAsync(0)
  expect([unwaited.ends, ended.ends]).toEqual([[['no_time', 0.6]], [['aborted', 0.6]]])
  unwaited.refuse()
  await vi.advanceTimersByTimeAsync(0)
  expect(unwaited.ends.at(-1)).toEqual(['no_time', 0])
  for (const signal of [waitSignal.signal, end.signal, NEVER])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  probe.leave()
})
