import { expect, test } from 'vitest'
import { recordingOf } from '../../../staging/tasks/recording.ts'

const user = { role: 'user', text: 'What?' }
const started = (step: number, follows: number, messages: readonly object[]) => ({
  type: 'model_started',
  data: { step, model: 'm', sent: { follows, messages } },
})
const finished = (step: number, given: object = {}) => ({
  type: 'model_finished',
  data: { step, model: 'm', input_tokens: 5, output_tokens: 2, cut: false, ...given },
})
const answer = { role: 'assistant', text: 'So.' }
const end = { type: 'run_finished', data: {} }

test('holds the answers that counted, in the order of the turns, under one model', () => {
  const failed = { type: 'model_failed', data: { step: 1, model: 'm', attempt: 1 } }
  const call = { id: 'c', name: 'calculator', arguments: '{}' }
  const asked = { role: 'assistant', text: '', tool_calls: [call] }
  const recording = recordingOf([
    ...[started(1, 0, [user]), failed, started(1, 1, []), finished(1, { answer: asked })],
    started(3, 1, [asked, { role: 'tool', text: '36', tool_call_id: 'c' }]),
    ...[finished(3, { answer, model: 'other', cut: true }), end],
  ])
  const usage = { prompt_tokens: 5, completion_tokens: 2 }
  expect(recording).toEqual({
    fixtures: [
      {
        match: { userMessage: 'What?', model: 'm', turnIndex: 0, hasToolResult: false },
        response: { toolCalls: [{ name: 'calculator', arguments: '{}', id: 'c' }], usage },
      },
      {
        match: { userMessage: 'What?', model: 'm', turnIndex: 1, hasToolResult: true },
        response: { content: 'So.', finishReason: 'length', usage },
      },
    ],
  })
})

test.each([
  ['no events', [], 'its model calls were not kept'],
  ['no end', [started(1, 0, [user]), finished(1, { answer })], 'its model calls were not kept'],
  [
    'a stream',
    [{ type: 'model_started', data: { step: 1 } }, end],
    'what its model calls were sent was not kept',
  ],
  ['no answers', [started(1, 0, [user]), finished(1), end], 'what its model calls answered was not kept'],
  ['a gap', [started(1, 2, [user]), end], 'the run is too long to be kept whole'],
  [
    'equal calls',
    [started(1, 0, [user]), finished(1, { answer }), started(2, 1, []), finished(2, { answer }), end],
    'two of its model calls would look alike to a replay',
  ],
])('says why there is none: %s', (_what, events, why) => {
  expect(recordingOf(events)).toBe(why)
})
