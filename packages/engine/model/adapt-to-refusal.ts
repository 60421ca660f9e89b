import { textWithCalls } from '@agent-task-service/messages/message-text'
import { truncateWithNote } from '@agent-task-service/wire/untrusted'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ClassifiedError } from '../failures/classify-error.ts'
import { acceptedCap, contextIn } from '../failures/refused-limits.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { estimateTokens } from '../run/tokens.ts'

/** Share of a model's context that a shortened conversation may fill. */
const FILLED = 0.8
/** How much of a tool's result a shortened conversation keeps, in characters. */
const KEPT_LENGTH = 500
/** Bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES = 3

/** A model called tools when it was told not to. */
export class CalledInstead extends RunFailure {}

/** What a model is asked. */
export interface ModelCallRequest {
  readonly messages: BaseMessage[]
  readonly tools: BindToolsInput[]
  /** Options for binding the tools, such as `tool_choice`. */
  readonly binding: Readonly<Record<string, unknown>>
}

/** What is known of a model: what it has refused in this run, or says of itself. */
export interface KnownLimits {
  /** Largest cap on the tokens of a call. */
  readonly cap?: number
  /** Size of the context in tokens. */
  readonly context?: number
  /** Whether it refuses to be told to call none of its tools. */
  readonly refusesNoChoice?: boolean
}

/** The request within the limits. */
export async function applyKnownLimits(
  request: ModelCallRequest,
  limits: KnownLimits,
): Promise<ModelCallRequest> {
  const { context, refusesNoChoice } = limits
  const prepared = refusesNoChoice && request.binding.tool_choice === 'none' ? withoutTools(request) : request
  const messages = context === undefined ? undefined : await shortened(request.messages, context)
  return messages ? { ...prepared, messages } : prepared
}

/**
 * How to send a refused request anew.
 *
 * @param cap the cap that was sent, if any
 * @param known the limits so far
 * @returns `undefined` if there is no other way to ask
 */
export async function adaptToRefusal(
  request: ModelCallRequest,
  { trouble, failure }: ClassifiedError,
  cap: number | undefined,
  known: KnownLimits,
): Promise<{ readonly request: ModelCallRequest; readonly limits: KnownLimits } | undefined> {
  const message = withoutEchoes((failure.cause as Error | undefined)?.message ?? '', request.messages)
  if (trouble === 'empty_answer') return { request: askedAgain(request, failure), limits: {} }
  if (trouble === 'cap_too_high' && cap !== undefined && cap > 1)
    return { request, limits: { cap: acceptedCap(message, cap) } }
  if (trouble === 'context_too_long' || trouble === 'cap_too_high') {
    const context = contextIn(message) ?? known.context
    const messages = await shortened(request.messages, context)
    const limits = context === undefined ? {} : { context }
    return messages && { request: { ...request, messages }, limits }
  }
  if (trouble === 'rejected' && request.binding.tool_choice === 'none') {
    const refusesNoChoice = /tool[_ ]?choice/i.test(message)
    return { request: withoutTools(request), limits: { ...(refusesNoChoice && { refusesNoChoice }) } }
  }
  return undefined
}

/** A model can call no tool that it is not offered; but some providers refuse results of tools that are not listed. */
function askedAgain(request: ModelCallRequest, failure: RunFailure): ModelCallRequest {
  const hasResults = request.messages.some(({ type }) => type === 'tool')
  const mayLeaveOut = failure instanceof CalledInstead || !hasResults
  return request.binding.tool_choice === 'none' && mayLeaveOut ? withoutTools(request) : request
}

/** Without the numbers and words that a refusal may have quoted from the conversation. */
export function withoutEchoes(message: string, messages: readonly BaseMessage[]): string {
  const conversation = messages.map(textWithCalls).join('\n')
  return message.replaceAll(/\d[\d,_]*|tool[_ ]?choice/gi, word => (conversation.includes(word) ? '' : word))
}

function withoutTools(request: ModelCallRequest): ModelCallRequest {
  return { ...request, tools: [], binding: {} }
}

/**
 * The conversation within a model's context, with room for the answer: tool results are truncated, oldest first; if that is
 * not enough, the oldest turns are left out. The system message and the latest turn stay.
 *
 * @param context of the model, in tokens; `undefined`: unknown, so the conversation is halved
 * @returns `undefined` if it fits, or nothing can be shortened
 */
async function shortened(
  messages: readonly BaseMessage[],
  context: number | undefined,
): Promise<BaseMessage[] | undefined> {
  const texts = messages.map(textWithCalls)
  const room = (context ?? 0) * FILLED
  // No text has more tokens than bytes in UTF-8.
  if (texts.reduce((bytes, { length }) => bytes + MAX_BYTES * length, 0) <= room) return undefined
  const sizes = new Map<BaseMessage, number>()
  for (const [index, message] of messages.entries()) sizes.set(message, await estimateTokens([texts[index]!]))
  const tokens = sumOf(messages, sizes)
  const limit = context === undefined ? tokens / 2 : room
  const short = await truncateResults(messages, sizes, tokens - limit)
  const kept = sumOf(short, sizes) > limit ? withoutOldTurns(short, sizes, limit) : short
  return kept.length === messages.length && kept.every((message, at) => message === messages[at])
    ? undefined
    : kept
}

function sumOf(messages: readonly BaseMessage[], sizes: ReadonlyMap<BaseMessage, number>): number {
  return messages.reduce((sum, message) => sum + (sizes.get(message) ?? 0), 0)
}

/**
 * Truncates tool results, oldest first, until the excess is gone.
 *
 * @param sizes tokens of each message; gets those of the truncated ones
 */
async function truncateResults(
  messages: readonly BaseMessage[],
  sizes: Map<BaseMessage, number>,
  tooMany: number,
): Promise<BaseMessage[]> {
  let excess = tooMany
  const short: BaseMessage[] = []
  for (const message of messages) {
    const { text } = message
    if (excess <= 0 || message.type !== 'tool' || text.length <= KEPT_LENGTH) {
      short.push(message)
      continue
    }
    const { tool_call_id, name, status, id } = message as ToolMessage
    const content = truncateWithNote(text, KEPT_LENGTH, "shortened to fit the model's context")
    const truncated = new ToolMessage({ content, tool_call_id, name, status, id })
    sizes.set(truncated, await estimateTokens([content]))
    excess -= sizes.get(message)! - sizes.get(truncated)!
    short.push(truncated)
  }
  return short
}

/** The system message and the latest turns that fit, at least the last one. LangChain's `trimMessages` would copy them all. */
function withoutOldTurns(
  messages: readonly BaseMessage[],
  sizes: ReadonlyMap<BaseMessage, number>,
  limit: number,
): BaseMessage[] {
  const system = messages.filter(({ type }) => type === 'system')
  let start = Math.max(
    0,
    messages.findLastIndex(({ type }) => type === 'human'),
  )
  let size = sumOf([...system, ...messages.slice(start)], sizes)
  for (let at = start - 1; at >= 0; at -= 1) {
    size += sizes.get(messages[at]!) ?? 0
    if (size > limit) break
    if (messages[at]!.type === 'human') start = at
  }
  return [...system, ...messages.slice(start).filter(({ type }) => type !== 'system')]
}
