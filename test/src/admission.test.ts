import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { Admission, type Release } from '../../src/tasks/admission.ts'

const never = new AbortController().signal
const settled = async () => await new Promise(resolve => setImmediate(resolve))

/** Asks for a place; `release` is there once it has one, `left` once it was told that it gets none. */
function ask(admission: Admission, signal: AbortSignal = never) {
  const asked: { release?: Release; left?: true } = {}
  void admission.enter(signal).then(release => {
    if (release) asked.release = release
    else asked.left = true
  })
  return asked
}

test('so many begin at once, and the next ones in the order in which they came', async () => {
  const admission = new Admission(1, 2)
  const [first, second, third] = [ask(admission), ask(admission), ask(admission)]
  await settled()
  expect([first, second, third].map(({ release }) => release !== undefined)).toEqual([true, false, false])
  first.release!()
  await settled()
  expect([second.release !== undefined, third.release]).toEqual([true, undefined])
  second.release!()
  await settled()
  expect(third.release).toBeDefined()
})

test('it is full when every place and every place in the queue is taken', async () => {
  const admission = new Admission(1, 1)
  const first = ask(admission)
  expect(admission.isFull).toBe(false)
  ask(admission)
  expect(admission.isFull).toBe(true)
  await settled()
  first.release!()
  expect(admission.isFull).toBe(false)
})

test('where nobody may wait it is full once every place is taken, and not before', () => {
  const admission = new Admission(1, 0)
  expect(admission.isFull).toBe(false)
  ask(admission)
  expect(admission.isFull).toBe(true)
})

test('whoever leaves the queue takes no place: the next one begins', async () => {
  const admission = new Admission(1, 2)
  const leaver = new AbortController()
  const first = ask(admission)
  const second = ask(admission, leaver.signal)
  const third = ask(admission)
  await settled()
  leaver.abort()
  await settled()
  expect(second.left).toBe(true)
  expect(admission.isFull).toBe(false)
  first.release!()
  await settled()
  expect(third.release).toBeDefined()
  expect(second.release).toBeUndefined()
})

test('a signal that aborted before gets no place and takes none', async () => {
  const admission = new Admission(1, 0)
  const gone = ask(admission, AbortSignal.abort())
  await settled()
  expect(gone).toEqual({ left: true })
  expect(ask(admission)).toBeDefined()
  await settled()
  expect(admission.isFull).toBe(true)
})

test('a place is given back once, however often that is said', async () => {
  const admission = new Admission(1, 3)
  const first = ask(admission)
  await settled()
  first.release!()
  first.release!()
  const [second, third] = [ask(admission), ask(admission)]
  await settled()
  expect([second.release !== undefined, third.release]).toEqual([true, undefined])
})

test('whoever was let in from the queue keeps its place when its signal aborts: the run gives it back', async () => {
  const admission = new Admission(1, 2)
  const caller = new AbortController()
  const first = ask(admission)
  const second = ask(admission, caller.signal)
  const third = ask(admission)
  await settled()
  expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1)
  first.release!()
  await settled()
  expect(getEventListeners(caller.signal, 'abort')).toEqual([])
  caller.abort()
  await settled()
  expect(second).toMatchObject({ release: expect.any(Function) })
  expect(third.release).toBeUndefined()
  second.release!()
  await settled()
  expect(third.release).toBeDefined()
})
