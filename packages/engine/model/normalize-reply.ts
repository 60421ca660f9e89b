import { plainText } from '@agent-task-service/openai-compatible/message-text'
import { isObject, parseJson } from '@agent-task-service/untrusted/json'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { type AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { argumentsFrom } from '../tools/tool-arguments.ts'

/** A tool call as the model made it. */
interface RequestedCall {
  readonly id: string
  readonly name: string
  readonly args: Record<string, unknown>
  /** What came as arguments, if it is not a JSON object. */
  readonly fault?: string
}

/**
 * The reply as the conversation keeps it. A call whose arguments are not a JSON object keeps its place with empty
 * arguments, and the originals are in `invalid_tool_calls`, unless they can only mean one thing. The ids of the message and
 * of each call are unique.
 *
 * @param taken ids that other messages of the run have
 */
export function normalizeReply(
  reply: AIMessage,
  taken: ReadonlySet<string>,
  tools: readonly BindToolsInput[],
): AIMessageChunk {
  const ids = new Set<string>()
  const calls = requestedCalls(reply, tools).map((call, index): RequestedCall => {
    let id = call.id || `call_${index + 1}`
    while (ids.has(id)) id += `_${index + 1}`
    ids.add(id)
    return { ...call, id }
  })
  // The rest are members that the provider expects back, or the reason why the reply ended.
  const { refusal, tool_calls: _, ...additional_kwargs } = reply.additional_kwargs
  const message = new AIMessageChunk({
    id: reply.id !== undefined && taken.has(reply.id) ? crypto.randomUUID() : reply.id,
    content: refusal && plainText(reply) === '' ? [{ type: 'refusal', refusal }] : reply.content,
    tool_calls: calls.map(({ id, name, args }) => ({ id, name, args, type: 'tool_call' })),
    additional_kwargs,
    response_metadata: reply.response_metadata,
    usage_metadata: reply.usage_metadata,
  })
  // The chunk's constructor drops them.
  message.invalid_tool_calls = calls.flatMap(({ id, name, fault: args }) =>
    args === undefined ? [] : [{ id, name, args, type: 'invalid_tool_call' as const }],
  )
  return message
}

function requestedCalls(reply: AIMessage, tools: readonly BindToolsInput[]): RequestedCall[] {
  const repaired = (id: string, name: string, text: string): RequestedCall => {
    const args = argumentsFrom(text, name, tools)
    return args ? { id, name, args } : { id, name, args: {}, fault: text }
  }
  const { tool_call_chunks: chunks = [] } = reply as AIMessageChunk
  // For a stream, LangChain would accept half an object and lose calls that share an id.
  if (chunks.length > 0)
    return chunks.map(({ id = '', name = '', args: text = '' }) => {
      const args = text.trim() === '' ? {} : parseJson(text)
      return isObject(args) ? { id, name, args } : repaired(id, name, text)
    })
  const valid = reply.tool_calls ?? []
  const invalid = reply.invalid_tool_calls ?? []
  return [
    ...valid.map(({ id = '', name, args }) => ({ id, name, args })),
    ...invalid.map(({ id = '', name = '', args = '' }) => repaired(id, name, args)),
  ]
}
