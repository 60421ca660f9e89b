import { toolCallNode } from '@agent-task-service/engine/nodes'
import type { AgentParts } from '../parts.ts'
import type { AgentNode } from '../state.ts'

/** Runs the tool calls of one turn. Every failure becomes text for the model: what was wrong and what would be right. */
export const toolCall = (parts: AgentParts): AgentNode => toolCallNode(parts)
