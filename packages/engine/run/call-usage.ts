import {
  costIn,
  outputTokensIn,
  type ReportedUsage,
  tokensIn,
  usageMetadata,
} from '@agent-task-service/messages/usage'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { AIMessage, UsageMetadata } from '@langchain/core/messages'
import { isUnreachable } from '../failures/classify-error.ts'
import { causesOf, RunFailure } from '../failures/run-failure.ts'
import {
  countMessages,
  countRequest,
  countTokens,
  estimateRequest,
  estimateTokens,
  type ModelInput,
} from './count-tokens.ts'
import { type BilledTokens, type Cost, costBy, type Price } from './price.ts'

/** What a model call has used. */
export interface CallUsage {
  readonly tokens: BilledTokens
  readonly cost: Pick<Cost, 'usd' | 'isEstimate'>
}

/** What two tries of a call have used together. */
export function usageOfBoth(one: CallUsage, other: CallUsage): CallUsage {
  const usd =
    one.cost.usd === undefined || other.cost.usd === undefined ? undefined : one.cost.usd + other.cost.usd
  return {
    tokens: {
      inputTokens: one.tokens.inputTokens + other.tokens.inputTokens,
      outputTokens: one.tokens.outputTokens + other.tokens.outputTokens,
      cachedTokens: (one.tokens.cachedTokens ?? 0) + (other.tokens.cachedTokens ?? 0),
    },
    cost: { usd, isEstimate: one.cost.isEstimate || other.cost.isEstimate },
  }
}

/** What is known of a model call, whether or not it has ended. */
interface MeasuredCall {
  readonly request: ModelInput
  /** Of a model of the list. */
  readonly price: Promise<Price | undefined> | undefined
  /** What it has streamed so far. */
  readonly text: string
}

/** The provider's figures, else our own count. */
export async function usageOfReply(call: MeasuredCall, message: AIMessage): Promise<CallUsage> {
  const { input, output, cached } = figuresIn(message.usage_metadata)
  const inputTokens = input ?? (await countRequest(call.request))
  const outputTokens = output ?? (await countMessages([message]))
  const tokens = { inputTokens, outputTokens, cachedTokens: cachedOf(inputTokens, cached) }
  const isEstimate = input === undefined && output === undefined
  const { usage } = message.response_metadata
  return { tokens, cost: await costOf(call, tokens, isEstimate, isObject(usage) ? costIn(usage) : undefined) }
}

/** A call that failed before its first word used nothing, unless the provider reports usage. */
export async function usageOfFailure(call: MeasuredCall, error: unknown): Promise<CallUsage> {
  const usage = reportedUsage(error)
  const { input, output, cached } = figuresIn(usageMetadata(usage))
  const inputTokens = input ?? (call.text ? await countRequest(call.request) : 0)
  const outputTokens = output ?? (call.text ? await countTokens(call.text) : 0)
  const tokens = { inputTokens, outputTokens, cachedTokens: cachedOf(inputTokens, cached) }
  const reported = costIn(usage)
  const isReported = input !== undefined || Boolean(reported)
  const cost =
    isReported || wasRefused(error)
      ? await costOf(call, tokens, false, reported)
      : await estimatedCost(call, outputTokens)
  return { tokens, cost }
}

/** An estimate for a call that is still open when the run ends. */
export async function usageOfOpenCall(call: MeasuredCall): Promise<CallUsage> {
  const inputTokens = await estimateRequest(call.request)
  const outputTokens = await estimateTokens([call.text])
  return { tokens: { inputTokens, outputTokens }, cost: await estimatedCost(call, outputTokens) }
}

/** The provider bills what a call read even if no word of its reply arrived. */
async function estimatedCost(call: MeasuredCall, outputTokens: number): Promise<CallUsage['cost']> {
  const inputTokens = call.price ? await estimateRequest(call.request) : 0
  return await costOf(call, { inputTokens, outputTokens }, true)
}

/** @param reported what the provider says that the call has cost */
async function costOf(
  { price }: MeasuredCall,
  tokens: BilledTokens,
  isEstimate: boolean,
  reported?: number,
): Promise<CallUsage['cost']> {
  const isFree = !isEstimate && !reported && tokens.inputTokens + tokens.outputTokens === 0
  const usd = isFree ? 0 : costBy(await price, tokens, reported)
  // A model that costs nothing has no bill to guess.
  return { usd, isEstimate: isEstimate && usd !== 0 }
}

/** The valid ones of what a provider reports. */
function figuresIn(usage?: UsageMetadata) {
  const { input_tokens, output_tokens, total_tokens, input_token_details } = usage ?? {}
  return {
    input: tokensIn(input_tokens),
    output: outputTokensIn(input_tokens, output_tokens, total_tokens),
    cached: tokensIn(input_token_details?.cache_read),
  }
}

/** Some proxies report more tokens read from the cache than read at all. */
function cachedOf(inputTokens: number, reported: number | undefined): number | undefined {
  return reported && Math.min(reported, inputTokens)
}

/** Whether the provider answered with an error status, or was never reached or asked; no provider bills that. */
function wasRefused(error: unknown): boolean {
  return causesOf(error).some(link => {
    const isUnasked = link instanceof RunFailure && link.reason === 'max_tokens'
    return isUnasked || typeof (link as { status?: unknown }).status === 'number' || isUnreachable(link)
  })
}

/** The usage the provider reported for a reply that could not be used but is billed. */
function reportedUsage(error: unknown): ReportedUsage {
  const usages = causesOf(error).map(link => (link as { readonly usage?: ReportedUsage }).usage)
  return usages.find(usage => usage) ?? {}
}
