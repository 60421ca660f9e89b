import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { Run } from '../run/run.ts'

/** What a model is asked. */
export interface ModelCallRequest {
  readonly messages: BaseMessage[]
  readonly tools: BindToolsInput[]
  /** Options for binding the tools, such as `tool_choice`. */
  readonly binding: Readonly<Record<string, unknown>>
}

/** One model call, shared by all its attempts on all models. */
export interface ModelCall extends ModelCallRequest {
  readonly config: RunnableConfig
  /** Ends the call: combines the run's end and the caller's signal. */
  readonly signal: AbortSignal
  readonly run: Run | undefined
  readonly number: number
  /** So far, on all models. */
  attempts: number
  /** Whether the same request may be sent again. */
  readonly mayRetry: boolean
  /** Whether to stop if the call stalls past the soft deadline, because its caller has something shorter to ask. */
  readonly endsAtSoftDeadline: boolean
  /** The limit because of which the model is asked for an answer, if any. */
  readonly wrapUp: LimitReason | undefined
  /** While records of earlier calls are left: whether it counts as one past the soft deadline. Absent: the time decides. */
  readonly wasPastSoftDeadline: boolean | undefined
}

/** Whether a `tool_choice`, in any provider's form, is the tool with this name. */
export function forces(choice: unknown, name: string): boolean {
  return choice === name || JSON.stringify(choice ?? '').includes(`"name":"${name}"`)
}
