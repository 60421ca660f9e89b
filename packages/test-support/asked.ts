/** A chat completions request, as far as the table examines it. */
export interface Asked {
  readonly model: string
  readonly messages: readonly AskedMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: unknown
  readonly stream?: boolean
  readonly [member: string]: unknown
}

export interface AskedMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly AskedCall[]
  readonly [member: string]: unknown
}

export interface AskedCall {
  readonly id?: string
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [member: string]: unknown
}

type Item = Readonly<Record<string, unknown>>

/** The request as chat completions would have it, for what both APIs share. */
export function chatOf(asked: Asked): Asked {
  const messages: AskedMessage[] = []
  for (const item of asked.input as readonly Item[]) {
    if (item.type === 'message') messages.push({ role: String(item.role), content: item.content })
    if (item.type === 'function_call_output')
      messages.push({ role: 'tool', content: item.output, tool_call_id: String(item.call_id) })
    if (item.type !== 'function_call') continue
    const call = {
      id: String(item.call_id),
      function: { name: String(item.name), arguments: String(item.arguments) },
    }
    const last = messages.at(-1)
    // Calls of one turn.
    if (last?.tool_calls) messages.splice(-1, 1, { ...last, tool_calls: [...last.tool_calls, call] })
    else messages.push({ role: 'assistant', tool_calls: [call] })
  }
  const tools = asked.tools?.map(tool => ({ function: tool as never }))
  return { ...asked, messages, ...(tools && { tools }), max_completion_tokens: asked.max_output_tokens }
}
