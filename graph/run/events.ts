import type { Source } from '../../tools/tool.ts'
import type { Trouble } from '../model/retry.ts'
import type { Limits } from './budget.ts'

/**
 * What happens in a run, in plain values: the one vocabulary that metrics, event stream, spans and log read. Steps are
 * numbered from 1; `key` is one call's own; `at` is `performance.now()`.
 */
export type RunEvent = { readonly at: number } & (
  | { readonly type: 'run_started'; readonly tools: readonly string[]; readonly limits: Limits }
  | ModelStarted
  | { readonly type: 'text'; readonly key: string; readonly step: number; readonly text: string }
  | ModelEnded
  | ModelGivenUp
  | ToolStarted
  | ToolEnded
  | { readonly type: 'limit_near'; readonly limit: keyof Limits; readonly used: number; readonly of: number }
  /** What a node wrote with `config.writer`. */
  | { readonly type: 'custom'; readonly data: unknown }
)

export interface ModelStarted {
  readonly type: 'model_started'
  readonly key: string
  readonly step: number
  readonly model: string
  /** LangChain's `ls_provider`, such as `anthropic`, if the class reports one. */
  readonly provider: string | undefined
  /** 1 for the first try; further tries belong to the same step. */
  readonly attempt: number
  /** Cap on the tokens of this call; absent: none. */
  readonly maxTokens: number | undefined
  /** Lazy: most readers do not need the text. */
  prompt(): readonly Said[]
}

export interface ModelEnded {
  readonly type: 'model_finished' | 'model_failed'
  readonly key: string
  readonly step: number
  readonly model: string
  readonly attempt: number
  /** As the run's metrics count them. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Absent where no answer came. */
  readonly reply?: Reply | undefined
  readonly error?: unknown
}

/** A model of the list that this run asks no more. */
export interface ModelGivenUp {
  readonly type: 'model_given_up'
  readonly model: string
  readonly trouble: Trouble | 'breaker_open'
  /** Name of the model that is asked instead; absent: there is none. */
  readonly next: string | undefined
  readonly error?: unknown
}

/** Names and ids are the provider's own words. */
export interface Reply {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly finishReason: string | undefined
  /** It was cut off at a cap on its tokens. */
  readonly cut: boolean
  readonly toolCalls: readonly string[]
  said(): Said
}

export interface ToolStarted {
  readonly type: 'tool_started'
  readonly key: string
  readonly step: number
  /** Name of the tool, or "" when there is none of the name that the model asked for. */
  readonly tool: string
  /** The model's id of the call. */
  readonly callId: string
  /** JSON */
  readonly args: string
}

export interface ToolEnded {
  readonly type: 'tool_finished'
  readonly key: string
  readonly step: number
  readonly tool: string
  readonly callId: string
  /** What the model reads of it. */
  readonly result: string
  /** Pages that the result quotes, by the numbers it gives them; absent: none. */
  readonly sources?: readonly Source[] | undefined
  /** Present where the call failed. */
  readonly error?: unknown
}

/** A message as traces show it. */
export interface Said {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  /** The call that a tool's message answers. */
  readonly toolCallId?: string | undefined
}

/** Receives each event in order; must not throw. */
export type Watch = (event: RunEvent) => void
