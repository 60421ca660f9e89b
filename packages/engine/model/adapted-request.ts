import { plainText, withContent } from '@agent-task-service/messages/message-text'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { Facts } from './facts-from-refusals.ts'
import type { ModelCallRequest } from './model-call.ts'
import { factKey, plainTool } from './plain-tool.ts'
import { shortened } from './shortened.ts'

/** Share of a model's context that a conversation may fill. */
const FILLED = 0.8

/**
 * The request as a model takes it, given what is known of it.
 *
 * @param needs whether the run is of no use without the tool: then it is offered all the same
 */
export async function adaptedRequest(
  { messages, tools, binding }: ModelCallRequest,
  facts: Facts,
  needs: (tool: BindToolsInput) => boolean,
): Promise<ModelCallRequest> {
  const { context, conversation, refuses_thoughts, refuses_system, refuses_tools, refuses_tool_choice } =
    facts
  const withThoughts = refuses_thoughts ? messages.map(withoutThoughts) : messages
  const adapted = refuses_system ? withoutSystem(withThoughts) : withThoughts
  const room = Math.min((context ?? Infinity) * FILLED, conversation ?? Infinity)
  const request = { messages: await shortened(adapted, room), tools, binding }
  const mayBeLeftOut = refuses_tools && !tools.some(needs)
  if (mayBeLeftOut || (refuses_tool_choice && binding.tool_choice === 'none')) return withoutTools(request)
  if (!Object.keys(facts).some(name => name.startsWith('tool '))) return request
  const offered = tools.flatMap(tool => {
    const fact = facts[factKey(tool)]
    if (fact === undefined) return tool
    return fact === 'plain' || needs(tool) ? plainTool(tool) : []
  })
  return offered.length === 0 ? withoutTools(request) : { ...request, tools: offered }
}

export function withoutTools(request: ModelCallRequest): ModelCallRequest {
  return { ...request, tools: [], binding: {} }
}

/** A turn of a model with nothing but what it says and calls. */
function withoutThoughts(message: BaseMessage): BaseMessage {
  if (message.type !== 'ai') return message
  const { content, additional_kwargs, response_metadata, id, name, tool_calls } = message as AIMessage
  const { output, ...metadata } = response_metadata
  const { answer_starts_at: _, ...added } = additional_kwargs
  const isPlain = typeof content === 'string' || content.every(({ type }) => type === 'text')
  if (isPlain && output === undefined && Object.keys(added).length === 0) return message
  return new AIMessage({ content: plainText(message), tool_calls, id, name, response_metadata: metadata })
}

/** With the text of system messages before that of the first user message. */
function withoutSystem(messages: readonly BaseMessage[]): BaseMessage[] {
  const isSystem = ({ type }: BaseMessage) => type === 'system'
  const rules = messages.filter(isSystem).map(plainText).join('\n\n')
  const others = messages.filter(message => !isSystem(message))
  if (rules === '') return others
  const at = others.findIndex(({ type }) => type === 'human')
  const task = others[at]
  if (!task) return [new HumanMessage(rules), ...others]
  const { content } = task
  const first =
    typeof content === 'string' ? `${rules}\n\n${content}` : [{ type: 'text', text: rules }, ...content]
  return others.with(at, withContent(task, first))
}
