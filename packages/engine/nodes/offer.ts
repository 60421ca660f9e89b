import type { BaseMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { GraphParts, NodeConfig } from '../graph/graph-parts.ts'
import { RunContext, readContext } from '../run/context.ts'
import { runOf } from '../run/run.ts'
import { hintsOf } from '../run/tool-hints.ts'
import { enabledTools } from '../tools/guarded-tools.ts'
import { isGoingRound } from '../tools/repeated-calls.ts'

/** What a model is offered in one call. */
export interface Offer {
  /** Those that the request lists. */
  readonly tools: readonly StructuredToolInterface[]
  /** Whether the model may call them; if not, it must answer. */
  readonly mayCall: boolean
  /** The limit that is near, if any. */
  readonly wrapUp: LimitReason | undefined
  /** Tells the model so, and what it may still do; "" if no limit is near. */
  readonly notice: string
}

/**
 * The offer for a graph's next step: all tools of the run; when time, steps, tokens or money are nearly used up, or the model
 * keeps repeating the same calls, none. When it is only the time, tools that take none may run once more before.
 */
export function offerForStep(
  { tools }: GraphParts,
  messages: readonly BaseMessage[],
  config: NodeConfig,
): Offer {
  const budget = runOf(config)?.budget
  const enabled = toolsOfRun(tools, config)
  const wrapUp = budget?.wrapUp ?? (isGoingRound(messages, tools) ? 'repeated_calls' : undefined)
  if (wrapUp === undefined) return { tools: enabled, mayCall: true, wrapUp, notice: '' }
  const lastTools = enabled.filter(tool => hintsOf(tool).instantHint)
  if (wrapUp !== 'soft_deadline' || !budget?.hasLastRound || lastTools.length === 0)
    return offerForAnswer({ tools }, messages, wrapUp, config)
  const names = new Intl.ListFormat('en').format(lastTools.map(({ name }) => name))
  return {
    tools: enabled.filter(tool => lastTools.includes(tool) || isNamed(tool, messages)),
    mayCall: true,
    wrapUp,
    notice: noticeOf(wrapUp, `Only ${names} can be called, in this turn for the last time; otherwise`),
  }
}

/**
 * The offer for an answer. If the conversation holds results of tools, the request still lists the tools, since some providers
 * refuse results of tools that a request does not list.
 */
export function offerForAnswer(
  { tools }: Pick<GraphParts, 'tools'>,
  messages: readonly BaseMessage[],
  wrapUp: LimitReason | undefined,
  config: NodeConfig,
): Offer {
  const hasResults = messages.some(({ type }) => type === 'tool')
  return {
    tools: hasResults ? toolsOfRun(tools, config) : [],
    mayCall: false,
    wrapUp,
    notice: noticeOf(wrapUp, 'No tool can be called any more:'),
  }
}

/** Those of the agent's tools that the run's settings enable. */
export function toolsOfRun(tools: GraphParts['tools'], config: NodeConfig) {
  return enabledTools(tools, readContext(config, RunContext).enabled_tools)
}

/** Whether the conversation holds a result of the tool. */
function isNamed({ name }: StructuredToolInterface, messages: readonly BaseMessage[]): boolean {
  return messages.some(message => message.type === 'tool' && message.name === name)
}

const WHY: Record<LimitReason, string> = {
  soft_deadline: 'The time for this task is nearly over.',
  max_steps: 'The steps for this task are nearly used up.',
  max_tokens: 'The tokens for this task are nearly used up.',
  max_total_tokens: 'The tokens for this task are nearly used up.',
  max_cost: 'The money for this task is nearly used up.',
  repeated_calls: 'The same tool calls were made several times in a row.',
}

function noticeOf(wrapUp: LimitReason | undefined, left: string): string {
  if (wrapUp === undefined) return ''
  return `${WHY[wrapUp]} ${left} answer now, in the form that the task asks for, with what is known so far; if a part is missing, say which.`
}
