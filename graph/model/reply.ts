import { AIMessage, type BaseMessage, type ToolCall } from '@langchain/core/messages'

/**
 * The reply as the conversation keeps it. Calls whose arguments are no JSON stand among the others, with empty
 * arguments and their fault in `invalid_tool_calls`; every call has an id of its own, and so has the message.
 */
export function tidyReply(reply: AIMessage, conversation: readonly BaseMessage[]): AIMessage {
  const taken = new Set<string>()
  const invalid: NonNullable<AIMessage['invalid_tool_calls']> = []
  const calls = inOrder(reply).map(({ call, fault }, index): ToolCall => {
    const wanted = call.id || `call_${index + 1}`
    let id = wanted
    for (let suffix = index + 1; taken.has(id); suffix += 1) id = `${wanted}_${suffix}`
    taken.add(id)
    if (fault) invalid.push({ ...fault, id })
    return { id, name: call.name ?? '', args: fault ? {} : (call as ToolCall).args, type: 'tool_call' }
  })
  const { refusal } = reply.additional_kwargs
  const isTaken = conversation.some(message => message.id !== undefined && message.id === reply.id)
  return new AIMessage({
    id: isTaken ? crypto.randomUUID() : reply.id,
    content: refusal && reply.text === '' ? [{ type: 'refusal', refusal }] : reply.content,
    tool_calls: calls,
    invalid_tool_calls: invalid,
    response_metadata: reply.response_metadata,
    usage_metadata: reply.usage_metadata,
  })
}

type InvalidToolCall = NonNullable<AIMessage['invalid_tool_calls']>[number]

/** Valid and invalid calls in the order in which the model made them, as far as the provider's own list tells. */
function inOrder(reply: AIMessage): { call: ToolCall | InvalidToolCall; fault?: InvalidToolCall }[] {
  const valid = [...(reply.tool_calls ?? [])]
  const invalid = [...(reply.invalid_tool_calls ?? [])]
  const raw = reply.additional_kwargs.tool_calls ?? []
  const ordered: ReturnType<typeof inOrder> = []
  for (const { function: asked } of raw) {
    const isInvalid = invalid[0] !== undefined && invalid[0].args === asked?.arguments
    const call = isInvalid ? invalid.shift() : valid.shift()
    if (call) ordered.push(isInvalid ? { call, fault: call as InvalidToolCall } : { call })
  }
  return [...ordered, ...valid.map(call => ({ call })), ...invalid.map(fault => ({ call: fault, fault }))]
}
