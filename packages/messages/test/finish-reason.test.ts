import {
  endOf,
  finishReasonOf,
  isCut,
  isWithheld,
  promisesCalls,
} from '@agent-task-service/messages/finish-reason'
import { Random } from '@agent-task-service/test-support/random'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { expect, test } from 'vitest'

const replyWith = (metadata: Record<string, unknown>) =>
  new AIMessage({ content: 'It is', response_metadata: metadata })
const endBy = (finish_reason: unknown) => endOf(replyWith({ finish_reason }))

const ENDS = {
  end: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'COMPLETE', 'completed', 'FINISH', 'normal'],
  cut: ['length', 'max_tokens', 'model_length', 'model_context_window_exceeded', 'max_output_tokens'],
  calls: ['tool_calls', 'tool_use', 'function_call', 'TOOL_CALL'],
  withheld: ['content_filter', 'refusal', 'SAFETY', 'sensitive', 'guardrail_intervened', 'content_filtered'],
  unknown: [
    'abort',
    'network_error',
    'insufficient_system_resource',
    'OTHER',
    'MALFORMED_FUNCTION_CALL',
    '1',
  ],
}

/** The same word as other servers write it. */
const spellings = (word: string): unknown[] => [
  word,
  word.toUpperCase(),
  word.toLowerCase().replaceAll('_', '-'),
  word.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  `FINISH_REASON_${word.toUpperCase()}`,
  { type: word, matched: 2 },
  { reason: word },
]

// EVIDENCE-OF docs/guides/models.md: A second such reply is taken as one that a cap has cut (`cut: true`); if it gives the same
//   reason, this is from then on an ordinary end of that model, for the life of the process
test.each(Object.entries(ENDS))('%s, however it is spelt', (end, words) => {
  for (const word of words)
    for (const spelt of spellings(word)) expect([spelt, endBy(spelt)]).toEqual([spelt, end])
})

test.each(['stop_reason', 'finishReason', 'done_reason'])('%s tells it too', name => {
  expect(endOf(replyWith({ [name]: 'stop' }))).toBe('end')
  expect(endOf(new AIMessage({ content: '', additional_kwargs: { [name]: 'abort' } }))).toBe('unknown')
})

test('an object without a word is unknown; no reason is none', () => {
  expect(endBy({})).toBe('unknown')
  expect(finishReasonOf(replyWith({ finish_reason: { code: 7 } }))).toBe('object')
  for (const none of [undefined, null, '', 7, ['stop']])
    expect([none, endBy(none)]).toEqual([none, undefined])
})

test('a word that several chunks of a stream repeat is that word', () => {
  for (const [word, end] of [
    ['STOP', 'end'],
    ['length', 'cut'],
    ['abort', 'unknown'],
  ]) {
    const chunk = () => new AIMessageChunk({ content: 'a', response_metadata: { finish_reason: word } })
    expect(endOf(chunk().concat(chunk()).concat(chunk()))).toBe(end)
  }
})

test('what is cut may lack a part, by a cap or in an unknown way', () => {
  const flags = (finish_reason: string) =>
    [isCut, isWithheld, promisesCalls].map(is => is(replyWith({ finish_reason })))
  expect(flags('stop')).toEqual([false, false, false])
  expect(flags('length')).toEqual([true, false, false])
  expect(flags('abort')).toEqual([true, false, false])
  expect(flags('refusal')).toEqual([false, true, false])
  expect(flags('tool_use')).toEqual([false, false, true])
})

test('no other word is an end, however near', () => {
  const known = new Set(Object.entries(ENDS).flatMap(([end, words]) => (end === 'unknown' ? [] : words)))
  for (let seed = 0; seed < 300; seed += 1) {
    const random = new Random(seed)
    const word = random.pick([...known]).toLowerCase()
    const at = random.whole(0, word.length)
    const near = `${word.slice(0, at)}${random.pick(['x', 'error', 'q_'])}${word.slice(at)}`
    expect([near, endBy(near)]).toEqual([near, 'unknown'])
  }
})
