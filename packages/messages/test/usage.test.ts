import { mergedUsage, type ReportedUsage, usageMetadata } from '@agent-task-service/messages/usage'
import { expect, test } from 'vitest'

/** What the reports of one reply come to. */
const read = (...reports: ReportedUsage[]) =>
  usageMetadata(
    reports.reduce((known: ReportedUsage | undefined, more) => mergedUsage(known, more), undefined) ?? {},
  )

test.each([
  {
    title: 'reasoning that is only in the total',
    reports: [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 }],
    tokens: { input_tokens: 10, output_tokens: 105, total_tokens: 115 },
  },
  {
    title: 'reasoning that is in the output',
    reports: [{ prompt_tokens: 10, completion_tokens: 105, total_tokens: 115 }],
    tokens: { input_tokens: 10, output_tokens: 105, total_tokens: 115 },
  },
  {
    title: 'a total without an input tells nothing of the output',
    reports: [{ completion_tokens: 5, total_tokens: 115 }],
    tokens: { input_tokens: 0, output_tokens: 5, total_tokens: 115 },
  },
  {
    title: 'input first, then output, with zeros for the other',
    reports: [
      { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 },
      { prompt_tokens: 0, completion_tokens: 7, total_tokens: 7 },
    ],
    tokens: { input_tokens: 20, output_tokens: 7, total_tokens: 20 },
  },
  {
    title: 'figures that grow with each chunk, and zeros at the end',
    reports: [
      { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 },
      { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 },
      { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    ],
    tokens: { input_tokens: 20, output_tokens: 7, total_tokens: 27 },
  },
  {
    title: 'details in another chunk',
    reports: [
      { prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 15 } },
      {
        completion_tokens: 7,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: 3 },
      },
    ],
    tokens: {
      input_tokens: 20,
      output_tokens: 7,
      total_tokens: 27,
      input_token_details: { cache_read: 15 },
      output_token_details: { reasoning: 3 },
    },
  },
  {
    title: 'what is no number of tokens',
    reports: [{ prompt_tokens: '20', completion_tokens: -1, total_tokens: 1.5 }],
    tokens: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  },
])('$title', ({ reports, tokens }) => {
  expect(read(...(reports as ReportedUsage[]))).toEqual(tokens)
})
