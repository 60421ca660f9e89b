import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { Price, Rates } from '../run/price.ts'
import type { OpenAIModelSettings } from './openai-model.ts'

/** A model of the list: any of LangChain's chat models. */
export interface ModelEntry {
  /** Shown in logs, events and traces. */
  readonly name: string
  /**
   * Creates the model. Pass `maxTokens`, the cap of one call, to the constructor under the name that the class uses;
   * start-up refuses a model that ignores it.
   */
  create(cap: { readonly maxTokens?: number }): BaseChatModel
  /** `false` for a server that cannot stream; a run that is cut off then has no partial text. */
  readonly stream?: boolean
  /**
   * Milliseconds the model may stay silent before it is given up; longer for one that thinks silently. Absent: 15 % of
   * the run's time.
   */
  readonly patienceMs?: number | undefined
  /** What its calls cost; absent or `undefined`: unknown, and `MAX_RUN_COST_USD` refuses it. */
  price?(): Promise<Price | undefined>
}

export type ModelSettings =
  | { readonly provider: 'offline' }
  | { readonly provider: 'openai'; readonly models: readonly EndpointSettings[] }

/** A model behind an endpoint, as configured in the environment. */
export interface EndpointSettings extends Omit<OpenAIModelSettings, 'maxTokens'> {
  /** Unique in the list. */
  readonly name: string
  readonly patienceMs?: number | undefined
  /** Absent: the published price. */
  readonly rates?: Rates | undefined
}
