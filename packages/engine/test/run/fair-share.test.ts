import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectionArrived, fairShare, readShare } from '../../run/fair-share.ts'

let now = 0
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now))
/** Until no run waits any more. */
afterEach(async () => {
  for (let count = 0; count < 300; count += 1) await turn()
  vi.restoreAllMocks()
})

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Runs that wait for their turn, each of which then computes so long, and the names of those that have had it. */
function queue(names: readonly string[], { ms = 0, stage }: { ms?: number; stage?: 'fresh' } = {}) {
  for (const name of names)
    void fairShare(stage).then(async () => {
      // Some of it behind a promise.
      await undefined
      now += ms
      had.push(name)
    })
}
let had: string[] = []
beforeEach(() => {
  had = []
})

test('a run on its own does not wait', async () => {
  queue(['one'])
  await Promise.resolve().then(() => {})
  expect(had).toEqual(['one'])
})

test('one run proceeds in each turn that brings nothing else', async () => {
  queue(['one', 'two', 'three', 'four', 'five'], { ms: 5 })
  for (const count of [2, 3, 4, 5]) {
    await turn()
    expect(had).toHaveLength(count)
  }
})

test('runs have as much of a turn as all else, and at most 10 ms', async () => {
  for (const { elseMs, most } of [
    { elseMs: 7, most: 4 },
    { elseMs: 500, most: 5 },
  ]) {
    had = []
    queue(['first', ...Array.from({ length: 10 }, (_, index) => String(index))], { ms: 2 })
    await Promise.resolve().then(() => {})
    expect(had).toEqual(['first'])
    // What else the turn brings.
    now += elseMs - 2
    await turn()
    expect(had).toHaveLength(1 + most)
    for (let count = 0; count < 20; count += 1) await turn()
    expect(had).toHaveLength(11)
  }
})

test('runs in progress go before new ones', async () => {
  queue(['running'])
  queue(['new', 'newer'], { stage: 'fresh' })
  queue(['also running'])
  for (let count = 0; count < 10; count += 1) await turn()
  expect(had).toEqual(['running', 'also running', 'new', 'newer'])
})

test('while connections arrive, runs leave the turns to them for 20 ms, then have their share', async () => {
  const names = Array.from({ length: 10 }, (_, index) => String(index))
  queue(names, { ms: 5 })
  await turn()
  const arriveFor = async (turns: number) => {
    for (let count = 0; count < turns; count += 1) {
      connectionArrived()
      now += 1
      await turn()
    }
  }
  const before = had.length
  await arriveFor(15)
  expect(had).toHaveLength(before)
  await arriveFor(10)
  // In 10 ms, two runs of 5 ms.
  expect(had).toHaveLength(before + 2)
  await arriveFor(120)
  expect(had).toEqual(names)
})

test('eight connections are read on in a turn, whatever runs wait', async () => {
  queue(['running', 'waiting'], { ms: 5 })
  let read = 0
  for (let count = 0; count < 20; count += 1) readShare(() => (read += 1))
  const seen = []
  for (let count = 0; count < 4; count += 1) {
    await turn()
    seen.push(read)
  }
  expect(seen).toEqual([8, 16, 20, 20])
})

test('what waits to be read leaves the turns to connections that arrive, for 20 ms', async () => {
  let read = 0
  for (let count = 0; count < 20; count += 1) readShare(() => (read += 1))
  const seen = []
  for (let count = 0; count < 25; count += 1) {
    connectionArrived()
    now += 1
    await turn()
    seen.push(read)
  }
  expect([seen[0], seen[18], seen[24]]).toEqual([0, 0, 8])
})
