import { isObject } from '@agent-task-service/wire/untrusted'
import type { UsageMetadata } from '@langchain/core/messages'

/** Usage as the provider reports it, unchecked. */
export interface ReportedUsage {
  readonly prompt_tokens?: unknown
  readonly completion_tokens?: unknown
  readonly total_tokens?: unknown
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null
  readonly completion_tokens_details?: { readonly reasoning_tokens?: unknown } | null
  readonly cost?: unknown
  readonly is_byok?: unknown
  readonly cost_details?: { readonly upstream_inference_cost?: unknown } | null
}

/** A number of tokens, if it is valid. Many clients and servers write 0 for unknown. */
export function tokensIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
}

/** A finite number of 0 or more; some servers write amounts as text. */
function amountIn(value: unknown): number | undefined {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined
}

/**
 * What the provider says that the call has cost, in US dollars: `cost`, of Perplexity its total. With the owner's own key behind
 * OpenRouter, `cost` is only its fee: what the key is billed comes on top.
 */
export function costIn({ cost, is_byok, cost_details }: ReportedUsage): number | undefined {
  const usd = amountIn(isObject(cost) ? cost.total_cost : cost)
  const billed = is_byok === true ? amountIn(cost_details?.upstream_inference_cost) : undefined
  return usd === undefined ? billed : usd + (billed ?? 0)
}

/** The tokens that were generated: some providers count reasoning only in the total. */
export function outputTokensIn(input: unknown, output: unknown, total: unknown): number | undefined {
  const [read, written, both] = [input, output, total].map(tokensIn)
  const beside = read === undefined || both === undefined ? 0 : both - read
  return tokensIn(Math.max(written ?? 0, beside))
}

/** Both reports as one, with the larger of each figure: some servers spread usage over chunks, or repeat it as it grows. */
export function mergedUsage(known: ReportedUsage | undefined, more: ReportedUsage): ReportedUsage {
  return larger(known, more) as ReportedUsage
}

function larger(one: unknown, other: unknown): unknown {
  if (!isObject(one) || !isObject(other))
    return (amountIn(one) ?? 0) > (amountIn(other) ?? 0) ? one : (other ?? one)
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map(name => [name, larger(one[name], other[name])]))
}

export function usageMetadata(usage: ReportedUsage): UsageMetadata {
  const { prompt_tokens, completion_tokens, total_tokens } = usage
  const input = tokensIn(prompt_tokens) ?? 0
  const output = outputTokensIn(prompt_tokens, completion_tokens, total_tokens) ?? 0
  const cached = tokensIn(usage.prompt_tokens_details?.cached_tokens)
  const reasoning = tokensIn(usage.completion_tokens_details?.reasoning_tokens)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: tokensIn(total_tokens) ?? input + output,
    ...(cached && { input_token_details: { cache_read: cached } }),
    ...(reasoning && { output_token_details: { reasoning } }),
  }
}
