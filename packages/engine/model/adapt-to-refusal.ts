import { textWithCalls } from '@agent-task-service/openai-compatible/message-text'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ClassifiedError } from '../failures/classify-error.ts'
import { acceptedCap, contextIn } from '../failures/refused-limits.ts'
import { estimateTokens } from '../run/tokens.ts'
import { truncateWithNote } from '../truncate.ts'

/** Share of a model's context that a shortened conversation may fill. */
const FILLED = 0.8
/** How much of a tool's result a shortened conversation keeps, in characters. */
const KEPT_LENGTH = 500

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: BaseMessage[]
  readonly tools: BindToolsInput[]
  /** Options for binding the tools, such as `tool_choice`. */
  readonly binding: Readonly<Record<string, unknown>>
}

/** What a model has refused in this run. */
export interface KnownLimits {
  /** Largest cap on the tokens of a call. */
  readonly cap?: number
  /** Size of the context in tokens. */
  readonly context?: number
  /** Whether it refuses to be told to call none of its tools. */
  readonly refusesNoChoice?: boolean
}

/** The request within the limits. */
export async function applyKnownLimits(request: ModelRequest, limits: KnownLimits): Promise<ModelRequest> {
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
  request: ModelRequest,
  { trouble, failure }: ClassifiedError,
  cap: number | undefined,
  known: KnownLimits,
): Promise<{ readonly request: ModelRequest; readonly limits: KnownLimits } | undefined> {
  const message = withoutEchoes((failure.cause as Error | undefined)?.message ?? '', request.messages)
  if (trouble === 'empty_answer') {
    // A model that called tools when told not to can call none that it is not offered.
    const again = request.binding.tool_choice === 'none' ? withoutTools(request) : request
    return { request: again, limits: {} }
  }
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

/** Without the numbers and words that a refusal may have quoted from the conversation. */
function withoutEchoes(message: string, messages: readonly BaseMessage[]): string {
  const conversation = messages.map(textWithCalls).join('\n')
  return message.replaceAll(/\d[\d,_]*|tool[_ ]?choice/gi, word => (conversation.includes(word) ? '' : word))
}

function withoutTools(request: ModelRequest): ModelRequest {
  return { ...request, tools: [], binding: {} }
}

/**
 * The conversation with its tool results truncated, oldest first, until it fits and leaves room for the answer.
 *
 * @param context of the model, in tokens; `undefined`: unknown, so the conversation is halved
 * @returns `undefined` if it fits, or there is nothing to truncate
 */
async function shortened(
  messages: readonly BaseMessage[],
  context: number | undefined,
): Promise<BaseMessage[] | undefined> {
  const tokens = await estimateTokens(messages.map(({ text }) => text))
  let excess = context === undefined ? tokens / 2 : tokens - context * FILLED
  const short: BaseMessage[] = []
  for (const message of messages) {
    const { text } = message
    if (excess <= 0 || message.type !== 'tool' || text.length <= KEPT_LENGTH) {
      short.push(message)
      continue
    }
    const { tool_call_id, name, status, id } = message as ToolMessage
    const content = truncateWithNote(text, KEPT_LENGTH, "shortened to fit the model's context")
    excess -= (await estimateTokens([text])) - (await estimateTokens([content]))
    short.push(new ToolMessage({ content, tool_call_id, name, status, id }))
  }
  return short.every((message, at) => message === messages[at]) ? undefined : short
}
