import { isObject, textIn } from '@agent-task-service/wire/untrusted'
import type { AIMessage } from '@langchain/core/messages'

/** Where each provider's class puts the reason: OpenAI, Anthropic, Gemini, Ollama. */
const REASONS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'] as const

/**
 * Why a reply ended: the model was done, a limit cut it off, it calls tools, or the provider withheld it. `unknown`: by none of
 * the words below, so that half of it may be missing.
 */
export type End = 'end' | 'cut' | 'calls' | 'withheld' | 'unknown'

/** The providers' words, in any case, with or without `_` and `-`. A turn that the provider paused is cut by its own limit. */
const WORDS: Readonly<Record<Exclude<End, 'unknown'>, string>> = {
  end: `stop stop_sequence end_turn end_of_turn end_of_text eos eos_token complete completed finish finished
    done normal finish_reason_unspecified`,
  cut: `length max_length model_length max_tokens max_output_tokens max_completion_tokens token_limit error_limit
    context_length_exceeded model_context_window_exceeded pause_turn compaction`,
  calls: 'tool_call tool_calls tool_use function_call function_calls',
  withheld: `content_filter content_filtered refusal safety recitation blocklist prohibited_content spii language
    image_safety image_recitation image_prohibited_content model_armor sensitive guardrail_intervened error_toxic`,
}

const ENDS: ReadonlyMap<string, End> = new Map(
  Object.entries(WORDS).flatMap(([end, words]) =>
    words.split(/\s+/).map(word => [lettersOf(word), end as End] as const),
  ),
)

/** Why the reply ended; `undefined` if its provider does not say. */
export function endOf(reply: AIMessage): End | undefined {
  const reason = finishReasonOf(reply)
  return reason === undefined ? undefined : endIn(reason)
}

function endIn(reason: string): End {
  return ENDS.get(lettersOf(reason)) ?? 'unknown'
}

/** Whether a reply that ended for this reason is whole: nothing of a call in it can be missing. */
export function isWhole(reason: string): boolean {
  return ['end', 'calls'].includes(endIn(reason))
}

/** LangChain joins the words of several chunks; Google's enumeration has its own name before each. */
function lettersOf(reason: string): string {
  const letters = reason.toLowerCase().replaceAll(/[^a-z]/g, '')
  const period = (letters + letters).indexOf(letters, 1)
  return letters.slice(0, period).replace(/^finishreason/, '')
}

/** Whether part of the reply may be missing: a token cap cut it off, or it ended in an unknown way. */
export function isCut(reply: AIMessage): boolean {
  const end = endOf(reply)
  return end === 'cut' || end === 'unknown'
}

/** Whether the provider withheld the reply. */
export function isWithheld(reply: AIMessage): boolean {
  return endOf(reply) === 'withheld'
}

/** Whether the reply ended in order to call tools. */
export function promisesCalls(reply: AIMessage): boolean {
  return endOf(reply) === 'calls'
}

/** The reply with the reason why it ended: of a stream, some classes tell it only beside the message. */
export function withFinishReason(
  reply: AIMessage,
  generationInfo: Readonly<Record<string, unknown>> = {},
): AIMessage {
  const told = REASONS.filter(name => reasonIn(generationInfo[name]) !== undefined)
  if (told.length === 0 || finishReasonOf(reply) !== undefined) return reply
  const reasons = Object.fromEntries(told.map(name => [name, generationInfo[name]]))
  const response_metadata = { ...reply.response_metadata, ...reasons }
  return Object.assign(Object.create(reply), { response_metadata })
}

/** The provider's word for why a reply ended, if it gave one. */
export function finishReasonOf({ response_metadata, additional_kwargs }: AIMessage): string | undefined {
  const members = { ...additional_kwargs, ...response_metadata } as Record<string, unknown>
  return REASONS.map(name => reasonIn(members[name])).find(reason => reason !== undefined)
}

/** A reason as a word: of an object its type or its reason, else that it is one. */
export function reasonIn(value: unknown): string | undefined {
  return isObject(value) ? (textIn(value.type) ?? textIn(value.reason) ?? 'object') : textIn(value)
}
