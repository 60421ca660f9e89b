import { isDeepStrictEqual } from 'node:util'
import type { AIMessage, BaseMessage, ToolCall, ToolMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { hintsOf } from './tool-hints.ts'

/** So many turns that ask for the same are answered; then the model is asked for its answer. */
const MOST_IN_A_ROW = 3

/**
 * Whether the latest turns asked for the same again and again, of tools that give the same each time: a model that does
 * so does not stop by itself.
 */
export function isGoingRound(
  conversation: readonly BaseMessage[],
  tools: readonly StructuredToolInterface[],
): boolean {
  const turns = ofThisRun(conversation).flatMap(message => {
    return message.type === 'ai' ? [(message as AIMessage).tool_calls ?? []] : []
  })
  const latest = turns.slice(-MOST_IN_A_ROW)
  const asked = latest.at(-1) ?? []
  if (latest.length < MOST_IN_A_ROW || asked.length === 0) return false
  return asked.every(call => {
    return isRepeatable(call, tools) && latest.every(turn => turn.some(other => isSame(call, other)))
  })
}

/**
 * The result of an equal call earlier in this run, where its tool says that it would come to the same: nothing in
 * between may have changed what it reads.
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

/** Whether a tool declares that the same call comes to the same: it changes nothing, and neither does time. */
export function isRepeatable(call: ToolCall, tools: readonly StructuredToolInterface[]): boolean {
  const { readOnlyHint, idempotentHint } = hintsOf(toolOf(call, tools))
  return readOnlyHint === true && idempotentHint === true
}

function toolOf(call: ToolCall | undefined, tools: readonly StructuredToolInterface[]) {
  return tools.find(({ name }) => name === call?.name)
}

/** A thread in Studio has earlier tasks, and what held for them may have changed. */
function ofThisRun(conversation: readonly BaseMessage[]): readonly BaseMessage[] {
  return conversation.slice(conversation.findLastIndex(({ type }) => type === 'human') + 1)
}
