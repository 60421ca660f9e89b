import { finishReasonOf } from '@agent-task-service/messages/finish-reason'
import { plainText } from '@agent-task-service/messages/message-text'
import { textIn, toText } from '@agent-task-service/wire/untrusted'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type Command, isCommand } from '@langchain/langgraph'
import type { ModelReply, PlainMessage } from './events.ts'

/** A page that a result cites, with its number. Put them in `sources` of the tool's artifact to have them in the run's events. */
export interface Source {
  readonly number: number
  readonly title: string
  /** http or https */
  readonly url: string
}

const ROLES: Record<string, PlainMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' }
/** A LangChain message in plain values. */
export function plainMessage(message: BaseMessage): PlainMessage {
  const { tool_calls: calls = [] } = message as AIMessage
  const { tool_call_id: toolCallId } = message as ToolMessage
  return {
    role: ROLES[message.type] ?? 'user',
    text: plainText(message),
    toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

/** What a model answered, in plain values. */
export function plainReply(message: AIMessage): ModelReply {
  const { id, model_name, model } = message.response_metadata
  return {
    // LangChain makes up an id for a message without one.
    id: textIn(id) ?? (message.id?.startsWith('run-') ? undefined : textIn(message.id)),
    model: textIn(model_name) ?? textIn(model),
    finishReason: finishReasonOf(message),
    message: () => plainMessage(message),
  }
}

/** What a tool returned, in plain values. */
export interface ToolResult {
  /** What the model reads. */
  readonly result: string
  /** Pages that the result cites, by number; absent if none. */
  readonly sources?: Source[] | undefined
}

/** @param callId the model's id for the call */
export function plainToolResult(output: unknown, callId: string | undefined): ToolResult {
  const message = isCommand(output) ? answerOf(output, callId) : output
  const { content = message, artifact } = (message ?? {}) as Partial<ToolMessage>
  return { result: toText(content), sources: sourcesIn(artifact) }
}

/** The message among a command's updates that answers the call; "" if there is none. */
function answerOf({ update }: Command, callId: string | undefined): unknown {
  const updates: unknown[] = Array.isArray(update) ? update.map(([, value]) => value) : [update]
  const messages = [update, ...updates].flatMap(
    each => (each as { readonly messages?: ToolMessage[] } | undefined)?.messages ?? [],
  )
  return messages.find(({ tool_call_id }) => tool_call_id === callId) ?? ''
}

/** The sources in a tool's artifact; anything else in it belongs to the tool. */
function sourcesIn(artifact: unknown): Source[] | undefined {
  const { sources } = (artifact ?? {}) as { readonly sources?: unknown }
  const isSource = ({ number, title, url }: Partial<Source>) =>
    Number.isInteger(number) && typeof title === 'string' && /^https?:/.test(String(url))
  const found: Source[] = Array.isArray(sources) ? sources.filter(one => one && isSource(one)) : []
  return found.length > 0 ? found.map(({ number, title, url }) => ({ number, title, url })) : undefined
}
