import { type WireTool, wireTool } from '@agent-task-service/messages/offered-tools'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import type { ModelEntry } from '../model/model-entry.ts'
import { abortOf, withCancellation } from '../run/cancellation.ts'

/** One request to the model. */
export interface ModelRequest {
  readonly messages: readonly BaseMessage[]
  /** Names of the tools on offer. */
  readonly tools: readonly string[]
  readonly maxTokens: number | undefined
  readonly signal: AbortSignal | undefined
}

export interface ScriptedAnswer {
  readonly text?: string
  /** Calls in this order; a missing id is generated. */
  readonly toolCalls?: readonly { readonly name: string; readonly args?: object; readonly id?: string }[]
  /** Calls whose arguments are not valid JSON. */
  readonly invalidToolCalls?: readonly {
    readonly name: string
    readonly args: string
    readonly id?: string
  }[]
  /** Usage that the provider reports; absent: none, so the meter counts by itself. */
  readonly usage?: { readonly input: number; readonly output: number }
  readonly finishReason?: string
  /** Content parts instead of `text`. */
  readonly content?: AIMessage['content']
  /** Chunks to stream to the callbacks first. */
  readonly pieces?: readonly string[]
  /** Delays the answer until this resolves or the run aborts. A function is called after the chunks. */
  readonly after?: Promise<unknown> | (() => Promise<unknown>)
  /** Waits for `after` despite an abort. */
  readonly ignoresAbort?: boolean
  /** Thrown instead of an answer, after the chunks and the wait. */
  readonly error?: Error
}

export type ScriptedReply = string | Error | ScriptedAnswer
type MakeReply = (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>

interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[]
}

/**
 * A chat model that follows a script and records its requests.
 *
 * @param script one reply per request, or a function that makes them all
 */
export class ScriptedModel extends BaseChatModel<CallOptions> {
  /** Requests so far, in order of arrival. */
  readonly requests: ModelRequest[]
  readonly #script: readonly (ScriptedReply | MakeReply)[] | MakeReply
  readonly #maxTokens: number | undefined
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[]

  constructor(
    script: readonly (ScriptedReply | MakeReply)[] | MakeReply,
    capped?: { readonly of: ScriptedModel; readonly maxTokens: number | undefined },
  ) {
    super({})
    this.#script = script
    this.requests = capped?.of.requests ?? []
    this.#waiting = capped ? capped.of.#waiting : []
    this.#maxTokens = capped?.maxTokens
  }

  override _llmType(): string {
    return 'scripted'
  }

  /** Fixed, whatever provider the settings name. */
  override getLsParams() {
    return { ls_model_type: 'chat' as const }
  }

  override invocationParams() {
    return { max_tokens: this.#maxTokens }
  }

  /** With `tool_choice: 'none'` no tools count as on offer. */
  override bindTools(tools: BindToolsInput[], { tool_choice }: Partial<CallOptions> = {}) {
    const offered = tool_choice === 'none' ? [] : tools
    return this.withConfig({ tools: offered.map(wireTool) })
  }

  /** This model as an entry in the list of models. */
  named(name = 'scripted'): ModelEntry {
    const create: ModelEntry['create'] = ({ maxTokens }) =>
      new ScriptedModel(this.#script, { of: this, maxTokens })
    return { name, create }
  }

  /** Resolves after this many requests. */
  asked(count: number): Promise<void> {
    return new Promise(resolve => {
      if (this.requests.length >= count) resolve()
      else this.#waiting.push({ count, resolve })
    })
  }

  /** @throws when the script has no reply left */
  override async _generate(
    messages: BaseMessage[],
    { tools = [], signal }: this['ParsedCallOptions'],
    callbacks?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const names = tools.map(tool => tool.function.name)
    const request = { messages, tools: names, maxTokens: this.#maxTokens, signal }
    const at = this.requests.push(request)
    for (const { count, resolve } of this.#waiting) if (at >= count) resolve()
    const step = typeof this.#script === 'function' ? this.#script : this.#script[at - 1]
    if (step === undefined) throw new Error(`the script has ${at - 1} replies and was asked for one more`)
    const answer = toAnswer(typeof step === 'function' ? await step(request) : step)
    for (const piece of answer.pieces ?? []) await callbacks?.handleLLMNewToken(piece)
    const wait = typeof answer.after === 'function' ? answer.after() : answer.after
    if (wait) await (answer.ignoresAbort ? wait : withCancellation(() => wait, abortOf(signal)))
    if (answer.error) throw answer.error
    const message = toMessage(answer, at)
    return { generations: [{ text: message.text, message }] }
  }
}

function toAnswer(reply: ScriptedReply): ScriptedAnswer {
  if (typeof reply === 'string') return { text: reply }
  return reply instanceof Error ? { error: reply } : reply
}

function toMessage(answer: ScriptedAnswer, at: number): AIMessage {
  const { text = '', content = text, toolCalls = [], invalidToolCalls = [], usage, finishReason } = answer
  return new AIMessage({
    content,
    tool_calls: toolCalls.map(({ name, args = {}, id = '' }, index) => {
      return { name, args: { ...args }, id: id || `call_${at}_${index + 1}`, type: 'tool_call' }
    }),
    invalid_tool_calls: invalidToolCalls.map(({ name, args, id = '' }, index) => {
      return { name, args, id: id || `bad_${at}_${index + 1}`, type: 'invalid_tool_call' }
    }),
    response_metadata: { finish_reason: finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop') },
    ...(usage && {
      usage_metadata: {
        input_tokens: usage.input,
        output_tokens: usage.output,
        total_tokens: usage.input + usage.output,
      },
    }),
  })
}
