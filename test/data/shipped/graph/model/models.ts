import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { type Price, priceAt, type Rates } from '../run/price.ts'
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

/**
 * The models to use, in order: each is the fallback for the ones before it. Put your own here:
 *
 * @example
 * const { ChatAnthropic } = await import('@langchain/anthropic')
 * return [{ name: 'claude', create: cap => new ChatAnthropic({ model, apiKey, maxRetries: 0, ...cap }) }]
 */
export async function createModels(settings: ModelSettings): Promise<readonly ModelEntry[]> {
  // Imported dynamically: only one client is needed, and they take most of the start-up time.
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('./offline-model.ts')
    const free = priceAt({ input: 0, output: 0 })
    return [{ name: 'offline', create: cap => new OfflineModel(cap), price: async () => free }]
  }
  const { OpenAIModel, OPENAI_URL } = await import('./openai-model.ts')
  const { listedPrice } = await import('./listed-prices.ts')
  return settings.models.map(({ name, patienceMs, rates, ...model }) => ({
    name,
    create: cap => new OpenAIModel({ ...model, ...cap }),
    patienceMs,
    price: async () => (rates ? priceAt(rates) : await listedPrice(model.model, model.baseUrl ?? OPENAI_URL)),
  }))
}
