import type { WireTool } from '@agent-task-service/messages/offered-tools'
import type { WrittenRules } from '@agent-task-service/messages/written-call'
import type { BaseChatModelCallOptions } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'

/** Which of OpenAI's APIs to speak. */
export type Api = 'chat' | 'responses'
/** `auto`: Responses on OpenAI's own endpoint, chat completions elsewhere. */
export type ApiSetting = 'auto' | Api

export type MaxTokensParam = 'max_tokens' | 'max_completion_tokens'

/** How a model's endpoint wants to be asked, where it differs from the protocol. */
export interface EndpointQuirks {
  /** Absent: as the settings say. */
  readonly api?: Api
  /** The name of the token cap; absent: derived from the model's name. */
  readonly capName?: MaxTokensParam
  /** Placeholders, in turns of other models, for members that the provider requires. */
  readonly standIns?: { readonly message?: object; readonly call?: object }
  /** Whether call ids must be nine letters and digits. */
  readonly hasShortIds?: boolean
  /** A member of the body that is left out. */
  readonly [member: `refuses_${string}`]: true
}

/** How a model is asked, by its settings and its quirks. */
export interface RequestForm {
  readonly api: Api
  readonly capName: MaxTokensParam
  /** Whether the settings leave the API open. */
  readonly mayChangeApi: boolean
}

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

/** What one call may be told beside what LangChain tells any model. */
export interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly WireTool[]
  /** OpenAI's form of the answer. */
  readonly response_format?: unknown
  /** Absent: none. */
  readonly quirks?: EndpointQuirks
  /** Absent: calls that a model writes into its text stay text. */
  readonly written?: WrittenRules
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
  /** Waits for the run's turn of the event loop. */
  readonly turn?: () => Promise<void>
  /** The longest beginning of a text that has at most so many tokens. Without it, a token counts as four characters. */
  readonly firstTokens?: (text: string, limit: number) => Promise<string>
}
