import type { ModelTrouble } from '../failures/model-trouble.ts'
import type { Source } from '../tool.ts'
import type { Limits } from './budget.ts'
import type { Cost } from './price.ts'

/**
 * What happens in a run, in plain values. Metrics, event stream, spans and log are all derived from these events. Steps
 * are numbered from 1; `key` is unique to a call; `at` is `performance.now()`.
 */
export type RunEvent = { readonly at: number } & (
  | { readonly type: 'run_started'; readonly tools: readonly string[]; readonly limits: Limits }
  | NodeStarted
  | NodeEnded
  | ModelStarted
  | { readonly type: 'text'; readonly key: string; readonly step: number; readonly text: string }
  | ModelEnded
  | ModelGivenUp
  | ModelLearnt
  | ToolStarted
  | ToolEnded
  /** After the last call; the reply follows. */
  | { readonly type: 'run_ended'; readonly cost: Cost }
  | { readonly type: 'limit_near'; readonly limit: keyof Limits; readonly used: number; readonly of: number }
  /** What a node wrote with `config.writer`. */
  | { readonly type: 'custom'; readonly data: unknown }
)

export interface CalledNode {
  readonly key: string
  /** Its name; in a subgraph, after those of the nodes around it: `outer/inner`. */
  readonly node: string
  /** Number of LangGraph's superstep; nodes of the same one run in parallel. */
  readonly superstep: number
  /** Key of the node around it. */
  readonly outer: string | undefined
}

export interface NodeStarted extends CalledNode {
  readonly type: 'node_started'
}

export interface NodeEnded extends CalledNode {
  readonly type: 'node_finished'
  /** Present if it failed. */
  readonly error?: unknown
}

export interface CalledModel {
  readonly key: string
  /** Key of the node that makes the call, if known. */
  readonly outer: string | undefined
  readonly step: number
  readonly model: string
  /** 1 for the first try; further tries belong to the same step. */
  readonly attempt: number
}

export interface ModelStarted extends CalledModel {
  readonly type: 'model_started'
  /** Name of the chat model's class. */
  readonly chatClass: string
  /** Whether the run has a token cap and the class was not given what is left of it. */
  readonly isUncapped: boolean
  /** LangChain's `ls_provider`, such as `anthropic`, if the class reports one. */
  readonly provider: string | undefined
  /** Cap on the tokens of this call; absent: none. */
  readonly maxTokens: number | undefined
  /** A function, since most readers do not need the text. */
  prompt(): readonly PlainMessage[]
}

export interface ModelEnded extends CalledModel {
  readonly type: 'model_finished' | 'model_failed'
  /** As counted in the run's metrics. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Part of the input, read from the provider's cache. */
  readonly cachedTokens?: number | undefined
  /** `usd` is `undefined` if the model's price is unknown; `isEstimate` if the provider reported no usage. */
  readonly cost?: Pick<Cost, 'usd' | 'isEstimate'> | undefined
  /** Absent if no answer came. */
  readonly reply?: ModelReply | undefined
  readonly error?: unknown
}

/** A model of the list that this run stops calling, or calls last while its breaker is open. */
export interface ModelGivenUp {
  readonly type: 'model_given_up'
  readonly model: string
  readonly trouble: ModelTrouble | 'breaker_open'
  /** Name of the model called instead; absent if there is none. */
  readonly next: string | undefined
  readonly error?: unknown
}

/** What a refusal has taught about a model. */
export interface ModelLearnt {
  readonly type: 'model_learnt'
  readonly model: string
  /** Our own names and values, and numbers that the provider named. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** Names and ids are the provider's. */
export interface ModelReply {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly finishReason: string | undefined
  /** Whether a token cap cut it off. */
  readonly cut: boolean
  readonly toolCalls: readonly string[]
  message(): PlainMessage
}

export interface CalledTool {
  readonly key: string
  /** Key of the node that makes the call, if known. */
  readonly outer: string | undefined
  readonly step: number
  /** Name of the tool, or "" if the model named one that does not exist. */
  readonly tool: string
  /** The model's id for the call. */
  readonly callId: string
}

export interface ToolStarted extends CalledTool {
  readonly type: 'tool_started'
  /** JSON */
  readonly args: string
}

export interface ToolEnded extends CalledTool {
  readonly type: 'tool_finished'
  /** What the model reads. */
  readonly result: string
  /** Pages that the result cites, by number; absent if none. */
  readonly sources?: readonly Source[] | undefined
  /** Present if the call failed. */
  readonly error?: unknown
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
export type Watch = (event: RunEvent) => void
