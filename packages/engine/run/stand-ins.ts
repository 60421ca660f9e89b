import { endOf, isWithheld } from '@agent-task-service/messages/finish-reason'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { causesOf, RunFailure } from '../failures/run-failure.ts'
import { describeCap, type Limits } from './limits.ts'
import type { ModelReplies } from './model-replies.ts'
import type { EndedNode } from './node-tracker.ts'

/** Where LangChain's `createAgent` asks its model; its middleware runs inside, and may put a message in the reply's place. */
const ASKS = /(^|\/)model_request$/
/** Where its middleware ends a run at a limit of its own. */
const LIMITS = /^((?:Model|Tool)CallLimitMiddleware(?:\[.*\])?)\.(?:before|after)_model$/

/** What a run ends with if LangChain's middleware threw this, or what wraps it, to end it. */
export function middlewareFailure(thrown: unknown): RunFailure | undefined {
  for (const link of causesOf(thrown)) {
    const { name, toolName, piiType } = link as Error & Readonly<Record<'toolName' | 'piiType', unknown>>
    if (name === 'ModelCallLimitMiddlewareError') return limitReached('ModelCallLimitMiddleware', link)
    if (name === 'ToolCallLimitExceededError')
      return limitReached(`ToolCallLimitMiddleware${toolName ? `[${toolName}]` : ''}`, link)
    // Without its cause, which holds the data.
    if (name === 'PIIDetectionError')
      return new RunFailure('refused', `this agent blocks data of the type ${piiType}, and found some`)
  }
  return undefined
}

function limitReached(middleware: string, cause?: Error): RunFailure {
  const message = `the limit of ${middleware} was reached before there was an answer`
  return new RunFailure('max_steps', message, { cause })
}

/** What a run ends with if LangChain's middleware, in this node, ended it at a limit. */
function limitOf(node: string): RunFailure | undefined {
  const middleware = LIMITS.exec(node.split('/').at(-1)!)?.[1]
  return middleware === undefined ? undefined : limitReached(middleware)
}

/**
 * Messages that LangChain's middleware makes where a model's reply belongs, because the model failed or a limit was reached.
 * What an owner's node makes is never one.
 */
export class StandIns {
  readonly #replies: ModelReplies
  /** Why no model has replied, by the key of the node that asked. */
  readonly #failures = new Map<string | undefined, unknown>()
  readonly #made: { readonly message: BaseMessage; readonly cause: unknown }[] = []

  constructor(replies: ModelReplies) {
    this.#replies = replies
  }

  /** @param node key of the node in which a model was asked */
  modelFailed(node: string | undefined, error: unknown): void {
    this.#failures.set(node, error)
  }

  modelReplied(node: string | undefined): void {
    this.#failures.delete(node)
  }

  nodeEnded({ node, key, input }: EndedNode, output: unknown): void {
    const cause = ASKS.test(node) ? this.#failures.get(key) : limitOf(node)
    const message = lastIn(output)
    if (cause !== undefined && message && message !== lastIn(input)) this.#made.push({ message, cause })
  }

  /** What this message, or the one that it was made of, stands for; `undefined`: it is no stand-in. */
  causeOf(last: BaseMessage): unknown {
    if (this.#replies.has(last)) return undefined
    const { id, text } = last
    const isMadeOf = (message: BaseMessage) =>
      (id !== undefined && message.id === id) || message.text === text
    return this.#made.findLast(({ message }) => isMadeOf(message))?.cause
  }
}

/** The last message in a node's input or output. LangChain puts what is a list, as of commands, into an object. */
function lastIn(state: unknown): BaseMessage | undefined {
  if (!isObject(state)) return undefined
  const updates = Array.isArray(state.output) ? state.output.map(command => command?.update) : [state]
  return updates.flatMap(update => update?.messages ?? []).at(-1)
}

/** @throws {RunFailure} if the message is not an answer, saying why */
export function expectAnswer(message: AIMessage, limits: Limits): void {
  if (isWithheld(message)) {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  if (message.text.trim() !== '') return
  const refusal = refusalOf(message)
  if (refusal !== undefined) throw new RunFailure('refusal', `the model refused the task: ${refusal}`)
  if (endOf(message) === 'cut') {
    throw new RunFailure('max_tokens', `${describeCap(limits)} was used up before there was an answer`)
  }
  const calls = message.tool_calls ?? []
  const problem = calls.length > 0 ? 'called tools in place of an answer' : 'gave an empty answer'
  throw new RunFailure('empty_answer', `the model ${problem}`)
}

/** The text of OpenAI's refusal part, in which the model says why it declines. */
function refusalOf({ content }: AIMessage): string | undefined {
  if (typeof content === 'string') return undefined
  const part = content.find(({ type }) => type === 'refusal')
  return part && 'refusal' in part ? String(part.refusal) : undefined
}
