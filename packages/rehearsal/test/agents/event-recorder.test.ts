import { expect, test } from 'vitest'
import { eventRecorder } from '../../agents/event-recorder.ts'

// EVIDENCE-OF docs/guides/staging.md: up to a megabyte of its events
test.each([
  ['no data', 'x', 100_000],
  ['long types', 'x'.repeat(2 ** 18), 10],
])('of events with %s, no more than a megabyte is recorded, and the last', (_, type, count) => {
  const recorder = eventRecorder()
  for (let nth = 0; nth < count; nth += 1) recorder.add(type, {}, 0)
  recorder.add('run_finished', { at: 1, response: {} }, 20)
  expect(JSON.stringify(recorder.all).length).toBeLessThan(1.1 * 2 ** 20)
  expect(recorder.all.at(-1)).toEqual({ type: 'run_finished', data: { at: 1 } })
})
