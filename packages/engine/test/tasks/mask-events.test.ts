import { createMask } from '@agent-task-service/wire/masking'
import { expect, test } from 'vitest'
import type { RunEvent } from '../../run/events.ts'
import { eventMask } from '../../tasks/mask-events.ts'
import { custom, failed, text } from './run-events.ts'

const SECRET = 'hunter2-hunter2'

/** What callers see of these events. */
function seen(...events: RunEvent[]) {
  const mask = eventMask(createMask([SECRET]))
  return events.flatMap(event => [...mask.apply(event)])
}

const finished = {
  ...failed,
  type: 'model_finished',
  data: { ...failed.data, tool_calls: [SECRET] },
} as unknown as RunEvent
const failedIn = (step: number) => ({ ...failed, data: { ...failed.data, step } }) as RunEvent

test('text that might have started a secret comes with the end of its call, before it, once', () => {
  expect(seen(text('it is hunter2-'), failedIn(2), failedIn(1), failedIn(1))).toEqual([
    { type: 'text', data: { step: 1, text: 'it is ' } },
    { type: 'model_failed', data: expect.objectContaining({ step: 2 }) },
    { type: 'text', data: { step: 1, text: 'hunter2-' } },
    { type: 'model_failed', data: expect.objectContaining({ step: 1 }) },
    { type: 'model_failed', data: expect.objectContaining({ step: 1 }) },
  ])
})

test('so it does with the end of a call that succeeds, whose tool calls are masked', () => {
  expect(seen(text('it is hunter2-'), finished)).toMatchObject([
    { type: 'text', data: { step: 1, text: 'it is ' } },
    { type: 'text', data: { step: 1, text: 'hunter2-' } },
    { type: 'model_finished', data: { tool_calls: ['[redacted]'] } },
  ])
})

test("a call's id and arguments are masked", () => {
  const data = { step: 2, tool: 'x', call_id: SECRET, arguments: `{"key":"${SECRET}"}` }
  expect(seen({ type: 'tool_started', at: 1, key: 'k', data } as RunEvent)).toEqual([
    { type: 'tool_started', data: { ...data, call_id: '[redacted]', arguments: '{"key":"[redacted]"}' } },
  ])
})

test('text of which nothing may be shown yet is no event', () => {
  expect(seen(text('hunter2-'))).toEqual([])
})

test('what a refusal has taught is not in the stream', () => {
  expect(seen({ type: 'model_learnt', at: 1, data: { model: 'm', facts: {} } })).toEqual([])
})

test('ids, results and sources of a tool are masked, and nothing else is in them', () => {
  const source = { number: 1, title: `About ${SECRET}`, url: `https://example.com/${SECRET}` }
  const data = { step: 2, tool: 'x', call_id: SECRET, failed: false, result: `It is ${SECRET}` }
  const event = { type: 'tool_finished', at: 1, key: SECRET } as const
  const masked = { step: 2, tool: 'x', call_id: '[redacted]', failed: false, result: 'It is [redacted]' }
  expect(seen({ ...event, data })).toEqual([{ type: 'tool_finished', data: masked }])
  expect(seen({ ...event, data: { ...data, sources: [source] } })).toEqual([
    {
      type: 'tool_finished',
      data: {
        ...masked,
        sources: [{ number: 1, title: 'About [redacted]', url: 'https://example.com/[redacted]' }],
      },
    },
  ])
})

test("a node's data that is no JSON is left out", () => {
  expect(
    seen(
      custom(undefined),
      custom(() => 1),
      custom(1n),
    ),
  ).toEqual(Array.from({ length: 3 }, () => ({ type: 'custom', data: { data: { omitted: 'no JSON' } } })))
})
