import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { type AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { MADE_BY } from './acceptable-messages.ts'
import { argumentsFrom } from './arguments.ts'
import type { Asked } from './asked.ts'
import { isCut, isWithheld } from './finish-reason.ts'
import { answerStartOf, plainText } from './message-text.ts'
import { OfferedTools } from './offered-tools.ts'
import { type KnownOfReply, TextReader } from './text/text-reader.ts'
import { MAX_CALLS, type WrittenRules, writtenId } from './written-call.ts'

/** A tool call as the model made it. */
interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly args: Record<string, unknown>
  /** What came as arguments, if it is not a JSON object. */
  readonly fault?: string
}

/** What a reply is normalized by. */
interface Known {
  /** The name of the model in the list. */
  readonly model: string
  readonly tools: readonly BindToolsInput[]
  /** Ids that messages and calls of the conversation and of the run have. */
  readonly takenIds: ReadonlySet<string>
  /** Absent: calls that were written are made. */
  readonly written?: WrittenRules
  readonly asked?: Asked
}

interface NormalizedReply {
  readonly message: AIMessageChunk
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  readonly unreadCall?: string | undefined
}

/**
 * The reply as the conversation keeps it, whatever class it comes from. Calls that were written into the text are calls, a
 * tool has the name under which it was offered, and an answer that nobody can see is empty. A call whose arguments are not a
 * JSON object keeps its place with empty arguments, and the originals are in `invalid_tool_calls`, unless they can only mean
 * one thing. The ids of the message and of each call are unique.
 */
export function normalizeReply(
  reply: AIMessage,
  { model, tools, takenIds, written: rules, asked }: Known,
): NormalizedReply {
  const offered = new OfferedTools(tools)
  const made = requestedCalls(reply, offered).slice(0, MAX_CALLS)
  const text = plainText(reply)
  const hasText = made.length === 0 && typeof reply.content === 'string'
  const hasThoughts = Boolean(reply.additional_kwargs.reasoning_content) || answerStartOf(reply) > 0
  const end = { rules, asked, isCut: isCut(reply) || isWithheld(reply), hasThoughts }
  const read = hasText ? readWhole(text, offered, end) : undefined
  const written = read?.calls.map(({ name, args }, at) =>
    requestedCall(writtenId(at + 1), name, args, offered),
  )
  const calls = withUniqueIds(written?.length ? written : made, takenIds)
  // The rest are members that the provider expects back, or the reason why the reply ended.
  const { refusal, tool_calls: _, answer_starts_at: _start, ...additional_kwargs } = reply.additional_kwargs
  const thoughts = thoughtsOf(reply, read)
  const message = new AIMessageChunk({
    id: reply.id !== undefined && takenIds.has(reply.id) ? crypto.randomUUID() : reply.id,
    content: refusal && text === '' ? [{ type: 'refusal', refusal }] : contentOf(reply, read),
    tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' })),
    additional_kwargs: { ...additional_kwargs, ...(thoughts !== '' && { reasoning_content: thoughts }) },
    response_metadata: { ...reply.response_metadata, [MADE_BY]: model },
    usage_metadata: reply.usage_metadata,
  })
  // The chunk's constructor drops them.
  message.invalid_tool_calls = calls.flatMap(({ id, name, fault: args }) =>
    args === undefined ? [] : [{ id, name, args, type: 'invalid_tool_call' as const }],
  )
  return { message, unreadCall: read?.unreadCall }
}

interface KnownOfText extends KnownOfReply {
  readonly rules: WrittenRules | undefined
  readonly isCut: boolean
}

type Read = ReturnType<typeof readWhole>

function readWhole(text: string, tools: OfferedTools, { rules, isCut, ...known }: KnownOfText) {
  const reader = new TextReader(tools, known)
  const said = reader.add(text) + reader.end(rules, isCut)
  const { answerStartsAt: start, calls, unreadCall } = reader
  const reasoning = said.slice(0, start) + reader.takeReasoning()
  return { answer: said.slice(start), reasoning, calls, unreadCall }
}

function contentOf(reply: AIMessage, read: Read | undefined): AIMessage['content'] {
  if (typeof reply.content !== 'string') return reply.content
  const answer = read?.answer ?? plainText(reply)
  // What a cap left of a written call is no answer.
  const isPartOfCall = Boolean(read?.unreadCall) && isCut(reply)
  const isVisible = /[^\s\p{C}\p{Z}\p{DI}\u2800]/u.test(answer)
  return isPartOfCall || !isVisible ? '' : answer
}

/** What came as reasoning, and what was found out to be. */
function thoughtsOf(reply: AIMessage, read: Read | undefined): string {
  const { content, additional_kwargs } = reply
  const known = additional_kwargs.reasoning_content
  const before = typeof content === 'string' ? content.slice(0, answerStartOf(reply)) : ''
  return (typeof known === 'string' ? known : '') + before + (read?.reasoning ?? '')
}

function requestedCalls(reply: AIMessage, tools: OfferedTools): RequestedCall[] {
  const { tool_call_chunks: chunks = [] } = reply as AIMessageChunk
  // For a stream, LangChain would accept half an object and lose calls that share an id.
  if (chunks.length > 0)
    return chunks.map(({ id = '', name = '', args = '' }) => requestedCall(id, name, args, tools))
  const valid = reply.tool_calls ?? []
  const invalid = reply.invalid_tool_calls ?? []
  return [
    ...valid.map(({ id = '', name, args }) => ({ id, name: tools.nameFor(name), args })),
    ...invalid.map(({ id = '', name = '', args = '' }) => requestedCall(id, name, args, tools)),
  ]
}

function requestedCall(id: string, name: string, text: string, tools: OfferedTools): RequestedCall {
  const tool = tools.find(name)
  const args = argumentsFrom(text, tool)
  const call = { id, name: tool?.name ?? name }
  return args ? { ...call, args } : { ...call, args: {}, fault: text }
}

function withUniqueIds(calls: readonly RequestedCall[], taken: ReadonlySet<string>): RequestedCall[] {
  const ids = new Set(taken)
  /** How often each id was found taken. */
  const counts = new Map<string, number>()
  return calls.map((call, index) => {
    const base = call.id || `call_${index + 1}`
    let id = base
    for (let count = counts.get(base) ?? 1; ids.has(id); counts.set(base, count)) {
      count += 1
      id = `${base}_${count}`
    }
    ids.add(id)
    return { ...call, id }
  })
}
