import { isDeepStrictEqual } from 'node:util'
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { hintsOf } from '../run/tool-hints.ts'

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
  // A Studio thread also holds earlier tasks.
  const ofThisRun = conversation.slice(conversation.findLastIndex(({ type }) => type === 'human') + 1)
  const turns = ofThisRun.flatMap(message => {
    return message.type === 'ai' ? [(message as AIMessage).tool_calls ?? []] : []
  })
  const latest = turns.slice(-MAX_IN_A_ROW)
  const calls = latest.at(-1) ?? []
  if (latest.length < MAX_IN_A_ROW || calls.length === 0) return false
  return calls.every(call => {
    return isRepeatable(call, tools) && latest.every(turn => turn.some(other => isSame(call, other)))
  })
}

function isSame(one: ToolCall, other: ToolCall): boolean {
  return one.name === other.name && isDeepStrictEqual(one.args, other.args)
}

/** Whether the tool declares that an equal call returns the same: it changes nothing and does not depend on time. */
function isRepeatable(call: ToolCall, tools: readonly StructuredToolInterface[]): boolean {
  const { readOnlyHint, idempotentHint } = hintsOf(tools.find(({ name }) => name === call.name))
  return readOnlyHint === true && idempotentHint === true
}
