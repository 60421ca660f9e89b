import type { WrittenRules } from '@agent-task-service/messages/written-call'
import type { BaseMessage } from '@langchain/core/messages'
import type { Api } from './learn/api.ts'
import type { EndpointQuirks } from './learn/endpoint-quirks.ts'

/** Settings that shape the body of each request. */
export interface RequestSettings {
  readonly model: string
  /** Absent: the provider's default; some models refuse any other. */
  readonly temperature?: number | undefined
  /** Tokens that one call may generate; absent: the provider's limit. */
  readonly maxTokens?: number | undefined
  /** Extra members of the body, such as `reasoning_effort`; `null` removes a member. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

export interface WireTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object }
}

export interface CallOptions {
  readonly tools?: readonly WireTool[] | undefined
  /** LangChain's `auto`, `none`, `any` or a tool's name, or the protocol's own form. */
  readonly tool_choice?: unknown
  /** OpenAI's form of the answer. */
  readonly response_format?: unknown
  readonly stop?: readonly string[] | undefined
  /** Absent: calls that a model writes into its text stay text. */
  readonly written?: WrittenRules | undefined
  readonly signal?: AbortSignal | undefined
}

/** One call of a model. */
export interface ApiCall {
  readonly api: Api
  readonly messages: BaseMessage[]
  readonly options: CallOptions
  /** Whether the server should stream its reply. */
  readonly stream: boolean
  readonly url: string
  /** The model called; only its own turns carry their provider's extra members. */
  readonly origin: string
  readonly quirks: EndpointQuirks
}

/** Members outside the protocol that a provider put into a turn and expects back. */
export interface ProviderWords {
  readonly origin: string
  readonly message: Readonly<Record<string, unknown>>
  /** In the order of the turn's calls. */
  readonly calls: readonly Readonly<Record<string, unknown>>[]
  /** Of the Responses API: the turn's items as they came. */
  readonly items?: readonly Readonly<Record<string, unknown>>[]
}

/** What a service knows of the run in which a model is asked. Without it, a model is on its own. */
export interface Host {
  /** An object that stands for the run underway: what a refusal teaches holds in it until a call has confirmed it. */
  readonly run?: () => object | undefined
  /** Waits for the run's turn of the event loop. */
  readonly turn?: () => Promise<void>
  /** Told of facts about a model that hold for all runs from now on. */
  readonly onFactsConfirmed?: (run: object, model: string, facts: Readonly<Record<string, unknown>>) => void
  /** The longest beginning of a text that has at most so many tokens. Without it, a token counts as four characters. */
  readonly firstTokens?: (text: string, limit: number) => Promise<string>
}
