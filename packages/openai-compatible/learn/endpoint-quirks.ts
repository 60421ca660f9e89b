import { textWithCalls } from '@agent-task-service/messages/message-text'
import type { BaseMessage } from '@langchain/core/messages'
import { ProviderError } from '../errors.ts'
import { FactsFromRefusals } from './facts-from-refusals.ts'

export type MaxTokensParam = 'max_tokens' | 'max_completion_tokens'

/** Which parts of the protocol a model's endpoint has turned out to support. */
export interface EndpointQuirks {
  /** The name of the token cap; absent: derived from the model's name. */
  readonly capName?: MaxTokensParam
  /** Whether it refuses `stream_options`; without them, few servers report a stream's usage. */
  readonly refusesStreamOptions?: boolean
  /** Whether it refuses to be told a temperature. */
  readonly refusesTemperature?: boolean
  /** Whether it has no encrypted reasoning to return. */
  readonly refusesEncrypted?: boolean
  /** Placeholders, in turns of other models, for members that the provider requires. */
  readonly standIns?: { readonly message?: object; readonly call?: object }
  /** Whether call ids must be nine letters and digits. */
  readonly hasShortIds?: boolean
}

/** Errors by which providers refuse another model's turns, and what they accept instead, as they document it. */
const FOREIGN: readonly (readonly [refusal: RegExp, quirks: EndpointQuirks])[] = [
  // DeepSeek, with thinking.
  [
    /missing `?reasoning_content|needs its reasoning_content/i,
    { standIns: { message: { reasoning_content: '' } } },
  ],
  [
    /missing a `?thought_signature/i,
    {
      standIns: {
        call: { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
      },
    },
  ],
  // Mistral.
  [/tool call id was .{0,100} must be/i, { hasShortIds: true }],
]

const quirksByOrigin = new Map<string, FactsFromRefusals<EndpointQuirks>>()

/**
 * What the refusals of an endpoint have taught, for all runs.
 *
 * @param origin a model and its address
 */
export function learnedQuirksOf(origin: string): FactsFromRefusals<EndpointQuirks> {
  const known = quirksByOrigin.get(origin) ?? new FactsFromRefusals<EndpointQuirks>()
  quirksByOrigin.set(origin, known)
  return known
}

/** Whether the conversation has words that a refusal may have quoted from it. */
export function mayEchoPrompt(messages: readonly BaseMessage[]): boolean {
  const words =
    /stream_options|temperature|encrypted|max_(completion_)?tokens|reasoning_content|thought_signature|tool call id/i
  return messages.some(message => words.test(textWithCalls(message)))
}

/** Whether the endpoint refused the request as malformed. */
export function isInvalidRequest(error: unknown): error is ProviderError {
  const { status, headers } = error instanceof ProviderError ? error : {}
  return headers !== undefined && (status === 400 || status === 422)
}

/**
 * What the endpoint seems to refuse and how to avoid it: by leaving it out, renaming it or sending a placeholder.
 *
 * @param body the refused request
 */
export function quirksFromError({ param, message, code }: ProviderError, body: string): EndpointQuirks {
  const words = `${param ?? ''} ${message}`
  const sentCap = /"(max_tokens|max_completion_tokens)":\d+[,}]/.exec(body)?.[1]
  const isCapUnknown =
    sentCap !== undefined && words.includes(sentCap) && (UNKNOWN.test(code ?? '') || UNKNOWN.test(message))
  return {
    ...FOREIGN.find(([refusal]) => refusal.test(message))?.[1],
    ...(words.includes('stream_options') && { refusesStreamOptions: true }),
    ...(/temperature/.test(words) && UNKNOWN.test(`${code} ${message}`) && { refusesTemperature: true }),
    ...(/encrypted[ _]content/i.test(words) && { refusesEncrypted: true }),
    ...(isCapUnknown && { capName: sentCap === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }),
  }
}

/** A refusal of a member's name rather than its value. */
const UNKNOWN =
  /unsupported[ _]param|unknown[ _](param|field|name|arg)|unrecognized|unexpected|extra (inputs|fields)|extra_forbidden|not (permitted|allowed|supported)|unsupported|does not support/i
