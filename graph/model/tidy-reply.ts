import { type AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'

/** A tool call as the model made it. */
interface AskedCall {
  readonly id: string
  readonly name: string
  readonly args: Record<string, unknown>
  /** What came as arguments, if it is not a JSON object. */
  readonly fault?: string
}

/**
 * The reply as the conversation keeps it. A call whose arguments are not a JSON object keeps its place with empty
 * arguments, and the originals are in `invalid_tool_calls`. The ids of the message and of each call are unique.
 */
export function tidyReply(reply: AIMessage, conversation: readonly BaseMessage[]): AIMessageChunk {
  const taken = new Set<string>()
  const calls = askedCalls(reply).map((call, index): AskedCall => {
    const wanted = call.id || `call_${index + 1}`
    let id = wanted
    for (let suffix = index + 1; taken.has(id); suffix += 1) id = `${wanted}_${suffix}`
    taken.add(id)
    return { ...call, id }
  })
  // The rest are members that the provider expects back, or the reason why the reply ended.
  const { refusal, tool_calls: _, ...additional_kwargs } = reply.additional_kwargs
  const isTaken = conversation.some(message => message.id !== undefined && message.id === reply.id)
  const message = new AIMessageChunk({
    id: isTaken ? crypto.randomUUID() : reply.id,
    content: refusal && reply.text === '' ? [{ type: 'refusal', refusal }] : reply.content,
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

function askedCalls(reply: AIMessage): AskedCall[] {
  const { tool_call_chunks: chunks = [] } = reply as AIMessageChunk
  // For a stream, LangChain would accept half an object and lose calls that share an id.
  if (chunks.length > 0)
    return chunks.map(({ id = '', name = '', args = '' }) => ({ id, name, ...readArguments(args) }))
  const valid = reply.tool_calls ?? []
  const invalid = reply.invalid_tool_calls ?? []
  return [
    ...valid.map(({ id = '', name, args }) => ({ id, name, args })),
    ...invalid.map(({ id = '', name = '', args = '' }) => ({ id, name, args: {}, fault: args })),
  ]
}

function readArguments(text: string): Pick<AskedCall, 'args' | 'fault'> {
  if (text.trim() === '') return { args: {} }
  try {
    const args: unknown = JSON.parse(text)
    if (typeof args === 'object' && args !== null && !Array.isArray(args))
      return { args: args as AskedCall['args'] }
  } catch {
    // Reported through `fault`.
  }
  return { args: {}, fault: text }
}
