import { isDeepStrictEqual } from 'node:util'
import type { AIMessage, BaseMessage, ToolCall, ToolMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { hintsOf } from './tool-hints.ts'

/** After this many turns with the same calls, the model is asked for its answer. */
const MAX_IN_A_ROW = 3

/**
 * Whether the latest turns all made the same calls, to tools that return the same each time. A model that does this never
 * stops on its own.
 */
export function isGoingRound(
  conversation: readonly BaseMessage[],
  tools: readonly StructuredToolInterface[],
): boolean {
  const turns = ofThisRun(conversation).flatMap(message => {
    return message.type === 'ai' ? [(message as AIMessage).tool_calls ?? []] : []
  })
  const latest = turns.slice(-MAX_IN_A_ROW)
  const asked = latest.at(-1) ?? []
  if (latest.length < MAX_IN_A_ROW || asked.length === 0) return false
  return asked.every(call => {
    return isRepeatable(call, tools) && latest.every(turn => turn.some(other => isSame(call, other)))
  })
}

/**
 * The result of an equal call earlier in this run, if the tool declares that the call would return the same and no call
 * since then may have changed what it reads.
 */
export function earlierResult(
  call: ToolCall,
  conversation: readonly BaseMessage[],
  tools: readonly StructuredToolInterface[],
): ToolMessage | undefined {
  if (!isRepeatable(call, tools)) return undefined
  const messages = ofThisRun(conversation)
  const calls = messages.flatMap(message => (message as AIMessage).tool_calls ?? [])
  for (const message of messages.toReversed()) {
    if (message.type !== 'tool') continue
    const { tool_call_id, status } = message as ToolMessage
    const earlier = calls.find(({ id }) => id === tool_call_id)
    if (earlier && isSame(call, earlier) && status !== 'error') return message as ToolMessage
    if (!hintsOf(toolOf(earlier, tools)).readOnlyHint) return undefined
  }
  return undefined
}

export function isSame(one: ToolCall, other: ToolCall): boolean {
  return one.name === other.name && isDeepStrictEqual(one.args, other.args)
}

/** Whether the tool declares that an equal call returns the same: it changes nothing and does not depend on time. */
export function isRepeatable(call: ToolCall, tools: readonly StructuredToolInterface[]): boolean {
  const { readOnlyHint, idempotentHint } = hintsOf(toolOf(call, tools))
  return readOnlyHint === true && idempotentHint === true
}

function toolOf(call: ToolCall | undefined, tools: readonly StructuredToolInterface[]) {
  return tools.find(({ name }) => name === call?.name)
}

/** The messages of this run only: a Studio thread also holds earlier tasks, whose results may be out of date. */
function ofThisRun(conversation: readonly BaseMessage[]): readonly BaseMessage[] {
  return conversation.slice(conversation.findLastIndex(({ type }) => type === 'human') + 1)
}
