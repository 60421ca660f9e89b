import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import { estimateTokens, textOf } from '../run/tokens.ts'
import type { ClassifiedError } from './classify-error.ts'
import { acceptedCap, contextIn } from './refused-limits.ts'
import { shortened } from './shorten.ts'

/** Share of a model's context that a shortened conversation may fill. */
const FILLED = 0.8

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: BaseMessage[]
  readonly tools: BindToolsInput[]
  /** Options for binding the tools, such as `tool_choice`. */
  readonly binding: Readonly<Record<string, unknown>>
}

/** What a model is known to refuse. */
export interface Limits {
  /** Largest cap on the tokens of a call. */
  readonly cap?: number
  /** Size of the context in tokens. */
  readonly context?: number
  /** Whether it refuses to be told to call none of its tools. */
  readonly refusesNoChoice?: boolean
}

/** What to do after a refusal. */
interface Adapted {
  readonly request: ModelRequest
  readonly limits: Limits
  /** Whether they hold for other runs too, as far as the refusal tells. */
  readonly isGeneral: boolean
}

/** The request within the limits. */
export async function fitted(request: ModelRequest, limits: Limits): Promise<ModelRequest> {
  const { context, refusesNoChoice } = limits
  const asked = refusesNoChoice && request.binding.tool_choice === 'none' ? withoutTools(request) : request
  const excess = context === undefined ? 0 : await excessOf(request.messages, context)
  const messages = excess > 0 ? await shortened(request.messages, excess) : undefined
  return messages ? { ...asked, messages } : asked
}

/**
 * How to send a refused request anew.
 *
 * @param cap the cap that was sent, if any
 * @param known the limits so far
 * @returns `undefined` if there is no other way to ask
 */
export async function adapted(
  request: ModelRequest,
  { trouble, failure }: ClassifiedError,
  cap: number | undefined,
  known: Limits,
): Promise<Adapted | undefined> {
  const message = withoutEchoes((failure.cause as Error | undefined)?.message ?? '', request.messages)
  if (trouble === 'empty_answer') return { request, limits: {}, isGeneral: false }
  if (trouble === 'cap_too_high' && cap !== undefined && cap > 1) {
    const { isGeneral, ...limits } = acceptedCap(message, cap)
    return { request, limits, isGeneral }
  }
  if (trouble === 'context_too_long' || trouble === 'cap_too_high') {
    const context = contextIn(message) ?? known.context
    const excess = context === undefined ? undefined : await excessOf(request.messages, context)
    const messages = await shortened(request.messages, excess)
    const limits = context === undefined ? {} : { context }
    return messages && { request: { ...request, messages }, limits, isGeneral: true }
  }
  if (trouble === 'rejected' && request.binding.tool_choice === 'none') {
    const refusesNoChoice = /tool[_ ]?choice/i.test(message)
    return { request: withoutTools(request), limits: { refusesNoChoice }, isGeneral: refusesNoChoice }
  }
  return undefined
}

function withoutTools(request: ModelRequest): ModelRequest {
  return { ...request, tools: [], binding: {} }
}

/** Tokens by which a conversation exceeds what the model accepts, leaving room for its answer. */
async function excessOf(messages: readonly BaseMessage[], context: number): Promise<number> {
  return (await estimateTokens(messages.map(({ text }) => text))) - context * FILLED
}

/** Providers may quote the task: a number or name that is in the conversation tells nothing about the model. */
function withoutEchoes(message: string, messages: readonly BaseMessage[]): string {
  const conversation = messages.map(textOf).join('\n')
  return message.replaceAll(/\d[\d,_]*|tool[_ ]?choice/gi, word => (conversation.includes(word) ? '' : word))
}
