import type { BaseMessage } from '@langchain/core/messages'
import { textOf } from '../../run/tokens.ts'
import { Learnt } from '../learnt.ts'
import { ProviderError } from '../model-error.ts'

/** Which of OpenAI's APIs to speak. */
export type Api = 'chat' | 'responses'
export type CapName = 'max_tokens' | 'max_completion_tokens'

/** Which parts of the protocol a model's endpoint has turned out to support. */
export interface Dialect {
  /** Absent: Responses on OpenAI's own endpoint, chat completions elsewhere. */
  readonly api?: Api
  /** The name of the token cap; absent: derived from the model's name. */
  readonly capName?: CapName
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
const FOREIGN: readonly (readonly [refusal: RegExp, learnt: Partial<Dialect>])[] = [
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
  [/tool call id was .* must be/i, { hasShortIds: true }],
]

const dialects = new Map<string, Learnt<Dialect>>()

/** What the refusals of a model at an endpoint have taught, for all runs. */
export function dialectOf(model: string, endpoint: string): Learnt<Dialect> {
  const key = `${model} at ${endpoint}`
  const known = dialects.get(key) ?? new Learnt<Dialect>(model)
  dialects.set(key, known)
  return known
}

/** Whether the conversation has words that a refusal may have quoted from it. */
export function mayBeQuoted(messages: readonly BaseMessage[]): boolean {
  const words =
    /\/responses|stream_options|temperature|encrypted|max_(completion_)?tokens|reasoning_content|thought_signature|tool call id/i
  return messages.some(message => words.test(textOf(message)))
}

/**
 * What the endpoint seems to refuse and how to avoid it: by leaving it out, renaming it, sending a placeholder, or asking
 * in the other API.
 *
 * @param body the refused request
 * @param api in which it was asked; absent: there is no choice
 * @returns empty if the error teaches nothing
 */
export function dialectIn(error: unknown, body: string, api?: Api): Dialect {
  // Errors without headers come inside a reply.
  if (!(error instanceof ProviderError && error.headers)) return {}
  const { status = 0, param, message, code } = error
  if (api === 'chat' && status < 500 && /\/responses\b/.test(message)) return { api: 'responses' }
  // An unknown model and an item that was not stored are 404 too.
  const isMissing = status === 404 && !/model|item/i.test(`${code} ${message}`)
  if (api === 'responses' && (isMissing || status === 405 || status === 501)) return { api: 'chat' }
  if (status !== 400 && status !== 422) return {}
  const words = `${param ?? ''} ${message}`
  const sent = /"(max_tokens|max_completion_tokens)":\d+[,}]/.exec(body)?.[1]
  const isUnknown =
    sent !== undefined && words.includes(sent) && (UNKNOWN.test(code ?? '') || UNKNOWN.test(message))
  return {
    ...FOREIGN.find(([refusal]) => refusal.test(message))?.[1],
    ...(words.includes('stream_options') && { refusesStreamOptions: true }),
    ...(/temperature/.test(words) && UNKNOWN.test(`${code} ${message}`) && { refusesTemperature: true }),
    ...(/encrypted[ _]content/i.test(words) && { refusesEncrypted: true }),
    ...(isUnknown && { capName: sent === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' }),
  }
}

/** A refusal of a member's name rather than its value. */
const UNKNOWN =
  /unsupported[ _]param|unknown[ _](param|field|name|arg)|unrecognized|unexpected|extra (inputs|fields)|extra_forbidden|not (permitted|allowed|supported)|unsupported|does not support/i
