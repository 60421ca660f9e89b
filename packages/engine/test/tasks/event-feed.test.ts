import { createMask } from '@agent-task-service/wire/masking'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EncodedEvent, eventFeed } from '../../tasks/event-feed.ts'
import { custom, failed, started, text } from './run-events.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const SECRET = 'hunter2-hunter2'

function watcher() {
  const calls: (readonly EncodedEvent[])[] = []
  const watch = (events: readonly EncodedEvent[]) => void calls.push(events)
  const told = () =>
    calls.map(events => events.map(({ type, members }) => ({ type, ...JSON.parse(`{${members}}`) })))
  return { watch, calls, told }
}

test('an event is encoded once, however many watch', () => {
  const mask = vi.fn(createMask([SECRET]))
  const feed = eventFeed(Object.assign(mask, createMask([SECRET])))
  const all = Array.from({ length: 5 }, watcher)
  for (const { watch } of all) feed.add(watch)
  feed.publish(custom(`it is ${SECRET}`))
  expect(mask).toHaveBeenCalledTimes(1)
  for (const { calls, told } of all) {
    expect(calls[0]![0]).toBe(all[0]!.calls[0]![0])
    expect(told()).toEqual([[{ type: 'custom', data: 'it is [redacted]' }]])
  }
})

test('the first text is passed on at once, what follows together, each as its own event', () => {
  const feed = eventFeed(createMask([]))
  const { watch, told } = watcher()
  feed.add(watch)
  const pieces = ['a', 'b', 'c', 'd'].map(piece => ({ type: 'text', step: 1, text: piece }))
  for (const { text: piece } of pieces.slice(0, 3)) feed.publish(text(piece))
  expect(told()).toEqual([[pieces[0]]])
  vi.advanceTimersByTime(1_000)
  expect(told()).toEqual([[pieces[0]], pieces.slice(1, 3)])
  feed.publish(text('d'))
  expect(told().at(-1)).toEqual([pieces[3]])
})

test('much text does not wait', () => {
  const feed = eventFeed(createMask([]))
  const { watch, told } = watcher()
  feed.add(watch)
  const pieces = ['a', 'b'.repeat(10_000), 'c'.repeat(10_000), 'd']
  for (const piece of pieces) feed.publish(text(piece))
  expect(told().map(events => events.length)).toEqual([1, 2])
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1_000)
  expect(told().flatMap(events => events.map(event => event.text))).toEqual(pieces)
})

test('no text waits while another event goes before it', () => {
  const feed = eventFeed(createMask([]))
  const { watch, told } = watcher()
  feed.add(watch)
  for (const event of [text('a'), text('b'), custom('c'), text('d')]) feed.publish(event)
  expect(told().flat()).toMatchObject([{ text: 'a' }, { text: 'b' }, { data: 'c' }])
  vi.advanceTimersByTime(1_000)
  expect(told().flat()).toMatchObject([{ text: 'a' }, { text: 'b' }, { data: 'c' }, { text: 'd' }])
  expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('who joins gets the start, and from then on what the others get', () => {
  const feed = eventFeed(createMask([SECRET]))
  const [first, second, third] = [watcher(), watcher(), watcher()]
  feed.publish(started)
  feed.add(first.watch)
  for (const piece of ['say', ' before', ' hunter2-']) feed.publish(text(piece))
  feed.add(second.watch)
  feed.publish(text('hunter2!'))
  vi.advanceTimersByTime(1_000)
  expect(second.told().flat()).toMatchObject([{ type: 'run_started', tools: [] }, { text: '[redacted]!' }])
  expect(
    first
      .told()
      .flat()
      .map(event => event.text ?? '')
      .join(''),
  ).toBe('say before [redacted]!')
  feed.delete(first.watch)
  feed.delete(second.watch)
  feed.publish(text('unseen hunter2-'))
  feed.add(third.watch)
  feed.publish(text('again'))
  vi.advanceTimersByTime(1_000)
  expect(third.told().flat()).toMatchObject([{ type: 'run_started' }, { text: 'hunter2-again' }])
  expect(JSON.stringify([first.told(), second.told()])).not.toContain('again')
})

test('who joins amid a secret does not get the rest of it', () => {
  const feed = eventFeed(createMask([SECRET]))
  const late = watcher()
  feed.publish(started)
  for (const piece of ['it is hunt', 'er2-']) feed.publish(text(piece))
  feed.add(late.watch)
  feed.publish(text('hunter2!'))
  expect(late.told().flat()).toMatchObject([{ type: 'run_started' }, { text: '[redacted]!' }])
})

const finished = {
  ...failed,
  type: 'model_finished',
  data: { ...failed.data, tool_calls: [] },
} as unknown as typeof failed

test.each([failed, finished])('what nobody saw of a call is not in the next text of its step: $type', end => {
  const feed = eventFeed(createMask([SECRET]))
  const late = watcher()
  for (const event of [started, text('hunter2-'), end]) feed.publish(event)
  feed.add(late.watch)
  feed.publish(text('hunter2!'))
  expect(late.told().flat()).toMatchObject([{ type: 'run_started' }, { text: 'hunter2!' }])
})
