import { createHash } from 'node:crypto'
import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { toolText } from '../run/count-tokens.ts'
import type { ModelCallRequest } from './model-call.ts'
import { isNumbered } from './numbered-tools.ts'

/** What LangChain and LangGraph put into each call's config. The rest are options that a graph gave the model. */
const CONFIG = new Set([
  ...['callbacks', 'tags', 'metadata', 'runName', 'configurable', 'recursionLimit', 'maxConcurrency'],
  ...['runId', 'timeout', 'signal', 'context', 'store', 'writer', 'streamWriter', 'interrupt', 'control'],
  ...['executionInfo', 'serverInfo', 'state', 'toolCallId', 'config'],
])

/**
 * Two requests with the same digest read the same to a model.
 *
 * @param models names of the models that may answer
 * @param options of the call
 * @returns 43 characters
 */
export function requestDigest(
  { messages, tools, binding }: ModelCallRequest,
  models: readonly string[],
  options: object,
): string {
  const read = reader()
  const own = Object.entries(options).filter(([name]) => !CONFIG.has(name))
  const text = JSON.stringify([models, messages.map(read), tools.map(offered), binding, own])
  return createHash('sha256').update(text).digest('base64url')
}

function offered(tool: BindToolsInput): string {
  return isNumbered(nameOf(tool)) ? toolText(tool).replace(/"name":"extract-\d+"/, '') : toolText(tool)
}

/**
 * What a model reads of each message. Its id is LangGraph's, and another one in each run; so may be those of calls that a graph
 * made itself, as for a handoff: only which result is whose counts.
 */
function reader(): (message: BaseMessage) => unknown[] {
  const places = new Map<string | undefined, number>([[undefined, 0]])
  const placeOf = (id: string | undefined) => {
    const place = places.get(id) ?? places.size
    places.set(id, place)
    return place
  }
  const known = (name: string | undefined) => (isNumbered(name) ? '' : name)
  return message => {
    const { type, content, name, additional_kwargs } = message
    const { tool_calls: calls = [], invalid_tool_calls: faults = [] } = message as AIMessage
    const { tool_call_id, status } = message as ToolMessage
    const made = [...calls, ...faults].map(({ id, name, args }) => [placeOf(id), known(name), args])
    return [type, content, known(name), additional_kwargs, made, placeOf(tool_call_id), status]
  }
}
