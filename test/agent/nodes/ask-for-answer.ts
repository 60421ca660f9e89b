import { enabledTools, type LimitReason } from '@agent-task-service/engine'
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { AgentParts } from '../parts.ts'
import { askPrompt, systemPromptFor } from '../prompts.ts'
import { contextOf, type NodeConfig } from '../state.ts'

/**
 * Asks the model to answer with what it knows, without calling tools. If the conversation holds tool results, the request
 * still lists the tools, since some providers refuse results of tools that a request does not list.
 *
 * @param wrapUp the limit that is near
 */
export async function askForAnswer(
  parts: AgentParts,
  messages: readonly BaseMessage[],
  wrapUp: LimitReason | undefined,
  config: NodeConfig,
): Promise<AIMessageChunk> {
  const { model, tools } = parts
  const context = contextOf(config)
  const named = messages.some(({ type }) => type === 'tool') ? enabledTools(tools, context.enabled_tools) : []
  const boundModel = model.bindTools(named, { tool_choice: 'none' })
  return await boundModel.invoke(askPrompt(systemPromptFor(parts, context), messages, wrapUp), config)
}
