import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { Admission, type Release } from '../../tasks/admission.ts'

const never = new AbortController().signal
const settled = async () => await new Promise(resolve => setImmediate(resolve))

/** Requests a slot; `release` is set once it has one, `left` once it learns that it gets none. */
function ask(admission: Admission, signal: AbortSignal = never) {
  const asked: { release?: Release; left?: true } = {}
  void admission.enter(signal).then(release => {
    if (release) asked.release = release
    else asked.left = true
  })
  return asked
}

test('this many begin at once, and the next ones in order of arrival', async () => {
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

test('a slot is returned once, however often it is released', async () => {
  const admission = new Admission(1, 3)
  const first = ask(admission)
  await settled()
  first.release!()
  first.release!()
  const [second, third] = [ask(admission), ask(admission)]
  await settled()
  expect([second.release !== undefined, third.release]).toEqual([true, undefined])
})

test('a caller who has left already gets no slot, and waits for none', async () => {
  const admission = new Admission(1, 1)
  const gone = ask(admission, AbortSignal.abort())
  ask(admission)
  const alsoGone = ask(admission, AbortSignal.abort())
  await settled()
  expect([gone, alsoGone]).toEqual([{ left: true }, { left: true }])
})

test('a caller admitted from the queue keeps its slot when its signal aborts: the run returns it', async () => {
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

test('a caller that has left gets no slot, even if one is free', async () => {
  const admission = new Admission(1, 0)
  const gone = ask(admission, AbortSignal.abort())
  await settled()
  expect([gone.left, admission.isFull]).toEqual([true, false])
})

test('a task that another replica runs takes a place until it is done, or fails', async () => {
  const admission = new Admission(1, 0)
  for (const end of [() => undefined, () => Promise.reject(new Error('no'))]) {
    const gate = Promise.withResolvers<void>()
    const counted = admission.countElsewhere(gate.promise.then(end)).catch(() => undefined)
    expect(admission.isFull).toBe(true)
    gate.resolve()
    await counted
    expect(admission.isFull).toBe(false)
  }
})

test('runs in progress end their waits while others wait for a slot, and for good once the service is to end', async () => {
  const admission = new Admission(1, 2)
  const first = ask(admission)
  const calm = admission.waitSignal
  expect(admission.waitSignal).toBe(calm)
  const caller = new AbortController()
  ask(admission, caller.signal)
  ask(admission)
  expect([calm.aborted, admission.waitSignal.aborted]).toEqual([true, true])
  caller.abort()
  expect(admission.waitSignal.aborted).toBe(true)
  await settled()
  first.release!()
  expect(admission.waitSignal.aborted).toBe(false)
  admission.endWaits()
  expect(admission.waitSignal.aborted).toBe(true)
})
