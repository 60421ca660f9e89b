import type { GraphTopology, StreamEventData, StreamEventType } from '@agent-task-service/wire/contract'
import type { ModelTrouble } from '../failures/model-trouble.ts'
import type { LimitReason } from '../failures/stop-reason.ts'
import { type LimitName, type Limits, limitNames, runLimits } from './limits.ts'
import type { BilledTokens } from './price.ts'
import type { ToolHints } from './tool-hints.ts'

/**
 * What happens in a run: metrics, event stream, spans and log are all derived from these events. `data` is what callers see,
 * by `contract/run-events.ts`, with secrets not yet masked and texts not yet truncated; what only the service itself reads
 * stands beside it. `at` is `performance.now()`.
 */
export type RunEvent = { [Type in RunEventType]: RunEventOf<Type> }[RunEventType]

/**
 * Those of the stream, of which `model_input` comes only from an agent with `STREAM_MODEL_INPUT`, and `custom` is what a node wrote
 * with `config.writer`; and what a refusal has taught about a model.
 */
type RunEventType = StreamEventType | 'model_learnt'

export type RunEventOf<Type extends RunEventType> = Type extends RunEventType
  ? {
      readonly type: Type
      readonly at: number
      readonly data: Type extends StreamEventType
        ? EventData<Type>
        : {
            readonly model: string
            /** Our own names and values, and numbers that the provider named. */
            readonly facts: Readonly<Record<string, unknown>>
          }
    } & (Type extends keyof InternalMembers ? InternalMembers[Type] : unknown)
  : never

/** The data of an event of the stream, without what differs between the callers of a run, and without the reply. */
export type EventData<Type extends StreamEventType> = Omit<
  StreamEventData<Type>,
  'v' | 'at' | 'task_id' | 'response'
>

/** What events have beside their data. */
interface InternalMembers {
  readonly node_started: Invocation
  readonly node_finished: Invocation & WithError
  readonly model_started: ModelStart
  readonly model_finished: ModelEnd & { readonly reply: ModelReply }
  readonly model_failed: ModelEnd & WithError
  /** A model of the list that this run stops calling, or calls last while its breaker is open. */
  readonly model_given_up: WithError & { readonly data: { readonly reason: ModelTrouble | 'breaker_open' } }
  readonly tool_started: Invocation
  readonly tool_finished: Pick<Invocation, 'key'> & WithError & { readonly unguarded?: Unguarded | undefined }
}

/** A node, a model call or a tool call. */
interface Invocation {
  /** Unique in the run. */
  readonly key: string
  /** Key of the node around it, if known. */
  readonly outer: string | undefined
}

/** A tool that was called past the agent's rules for tools. */
interface Unguarded {
  readonly hints: ToolHints
  /** Whether it told the graph how to go on, as a handoff does. */
  readonly isCommand: boolean
}

interface WithError {
  /** Present if it failed. */
  readonly error?: unknown
}

interface ModelStart extends Invocation {
  /** Name of the chat model's class. */
  readonly chatClass: string
  /** Whether the run has a token cap and the class was not given what is left of it. */
  readonly isUncapped: boolean
  /** LangChain's `ls_provider`, such as `anthropic`, if the class reports one. */
  readonly provider: string | undefined
  /** How often the class repeats a failed request by itself; 0 for a model of the list, which is checked at start. */
  readonly ownRetries: number
  /** Tokens that this call may generate; absent: no cap. */
  readonly callCap: number | undefined
  /** Whether it begins past the soft deadline, a later try apart. */
  readonly isPastSoftDeadline: boolean
  /** The limit because of which the model is asked for an answer, if any. */
  readonly wrapUp: LimitReason | undefined
  /** A function, since most readers do not need the text. */
  prompt(): readonly PlainMessage[]
  /** Names of the tools on offer, as far as the class tells. */
  offered(): readonly string[]
}

interface ModelEnd {
  readonly key: string
  /** As counted in the run's metrics. */
  readonly tokens: BilledTokens
}

/** Names and ids are the provider's. */
export interface ModelReply {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly finishReason: string | undefined
  message(): PlainMessage
}

/** A message in the form that traces show. */
export interface PlainMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  /** The call that a tool's message answers. */
  readonly toolCallId?: string | undefined
}

/** Receives each event in order; must not throw. */
export type RunEventListener = (event: RunEvent) => void

export function runStartedData(
  tools: readonly string[],
  limits: Limits,
  graph?: GraphTopology,
): EventData<'run_started'> {
  const told = limitNames.map(name => {
    const { inStream, unit = 1 } = runLimits[name]
    const amount = limits[name]
    return [inStream, amount === undefined ? null : amount / unit]
  })
  return { tools: [...tools], limits: Object.fromEntries(told), ...(graph && { graph }) }
}

export function limitNearData(limit: LimitName, used: number, of: number): EventData<'limit_near'> {
  const { inStream, unit = 1 } = runLimits[limit]
  return { limit: inStream, used: used / unit, of: of / unit }
}
