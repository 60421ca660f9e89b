import { costIn, mergedUsage, type ReportedUsage, usageMetadata } from '@agent-task-service/messages/usage'
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

// EVIDENCE-OF docs/guides/models.md: What a provider reports as a call's `usage.cost`, as OpenRouter does, is taken for US dollars:
//   behind a price of your own, before the published one.
test.each<{ title: string; reports: ReportedUsage[]; usd: number | undefined }>([
  { title: 'a number', reports: [{ cost: 0.0012 }], usd: 0.0012 },
  { title: 'a text', reports: [{ cost: '0.0012' }], usd: 0.0012 },
  { title: 'nothing', reports: [{ cost: 0 }], usd: 0 },
  {
    title: "Perplexity's total",
    reports: [{ cost: { request_cost: 0.005, total_cost: 0.006 } }],
    usd: 0.006,
  },
  {
    title: "OpenRouter's fee, and what an own key is billed",
    reports: [{ cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } }],
    usd: 0.021,
  },
  {
    title: 'what OpenRouter pays itself is in it',
    reports: [{ cost: 0.02, is_byok: false, cost_details: { upstream_inference_cost: 0.02 } }],
    usd: 0.02,
  },
  { title: 'the larger of several', reports: [{ cost: 0.001 }, { cost: 0.002 }, { cost: 0 }], usd: 0.002 },
  ...[undefined, null, '', ' ', 'free', -1, Number.NaN, Number.POSITIVE_INFINITY, true, {}, [0.1]].map(
    cost => ({
      title: `none: ${JSON.stringify(cost)}`,
      reports: [{ cost }],
      usd: undefined,
    }),
  ),
])('the cost of a call, $title', ({ reports, usd }) => {
  const merged = reports.reduce(
    (known: ReportedUsage | undefined, more) => mergedUsage(known, more),
    undefined,
  )
  expect(costIn(merged ?? {})).toBe(usd)
})
