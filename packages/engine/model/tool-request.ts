import { nameOf } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import type { ClassifiedError } from '../failures/classify-error.ts'
import { RunFailure } from '../failures/run-failure.ts'

/** A request with tools, of which the provider may refuse some. */
export interface ToolRequest<Reply> {
  /** An object that stands for the run. */
  readonly run: object
  readonly messages: readonly BaseMessage[]
  readonly tools: readonly BindToolsInput[]
  /** Whether the model may call them. If not, `ask` itself goes on without them. */
  readonly mayCall: boolean
  /** Whether the run is of no use without the tool. */
  readonly needs: (tool: BindToolsInput) => boolean
  /** Whether one of the run's limits is near: then there is no time to search. */
  readonly mustWrapUp: () => boolean
  readonly ask: (tools: readonly BindToolsInput[]) => Promise<ModelOutcome<Reply>>
  /** Told the names of tools that are left out of all runs from now on. */
  readonly onLearnt: (names: readonly string[]) => void
}

/** What came of asking a model. */
export type ModelOutcome<Reply> = { readonly reply: Reply } | FailedRequest

export interface FailedRequest {
  readonly error: ClassifiedError
  readonly isPastSoftDeadline: boolean
}

/** What is known of the tools of a refused request. */
export interface Finding<Reply> {
  readonly outcome: ModelOutcome<Reply>
  /** Absent: none. */
  readonly refused?: readonly BindToolsInput[]
  /** Left out of this run only, since nobody knows whether they are refused. */
  readonly untried?: readonly BindToolsInput[]
}

/** Whether the provider refused the request as such, for reasons of its own. */
export function isRefused(outcome: ModelOutcome<unknown>): outcome is FailedRequest {
  if ('reply' in outcome || outcome.error.trouble !== 'rejected') return false
  const { status, status_code, name } = causeOf(outcome)
  return name !== 'ModelReplyError' && [400, 422, 500, undefined].includes((status ?? status_code) as number)
}

/** The error of the model's class. */
export function causeOf({ error }: FailedRequest): Readonly<Record<string, unknown>> {
  return (error.failure.cause ?? {}) as Record<string, unknown>
}

/** The end of a run that needs one of these tools. */
export function neededRefused(tools: readonly BindToolsInput[], cause?: unknown): FailedRequest {
  const names = tools.map(tool => JSON.stringify(nameOf(tool))).join(', ')
  const which = tools.length > 1 ? 'one of the tools' : 'the tool'
  const message = `the model provider refuses ${which} ${names}, which this run needs`
  const failure = new RunFailure('model_rejected', message, { cause })
  return { error: { trouble: 'rejected', isOutage: false, failure }, isPastSoftDeadline: false }
}

/** Whether a `tool_choice`, in any provider's form, is the tool with this name. */
export function forces(choice: unknown, name: string): boolean {
  return choice === name || JSON.stringify(choice ?? '').includes(`"name":"${name}"`)
}

/** What a provider reads of a tool. A server that mends its tool changes it. */
export function definitionOf(tool: BindToolsInput): string {
  return JSON.stringify(convertToOpenAITool(tool as never))
}
