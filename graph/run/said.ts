import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { Reply, Said } from './events.ts'
import { finishReasonOf, isCut } from './finish-reason.ts'

const ROLES: Record<string, Said['role']> = { system: 'system', ai: 'assistant', tool: 'tool' }

/** A LangChain message in plain values. */
export function said(message: BaseMessage): Said {
  const { tool_calls: calls = [] } = message as AIMessage
  const { tool_call_id: toolCallId } = message as ToolMessage
  return {
    role: ROLES[message.type] ?? 'user',
    text: message.text,
    toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

/** What a model answered, in plain values. */
export function replyOf(message: AIMessage): Reply {
  const { id, model_name, model } = message.response_metadata
  return {
    // LangChain makes up an id for a message without one.
    id: textOr(id) ?? (message.id?.startsWith('run-') ? undefined : textOr(message.id)),
    model: textOr(model_name) ?? textOr(model),
    finishReason: finishReasonOf(message),
    cut: isCut(message),
    toolCalls: (message.tool_calls ?? []).map(({ name }) => name),
    said: () => said(message),
  }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
