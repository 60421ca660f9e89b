import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { OpenAIModelSettings } from './openai-model.ts'

/** A model of the list: any of LangChain's chat models. */
export interface ModelEntry {
  /** Shown in logs, events and traces. */
  readonly name: string
  /**
   * Makes the model. `maxTokens`, the cap of one call, must reach its constructor by the name that the class has for it:
   * the start refuses a model that ignores it.
   */
  create(cap: { readonly maxTokens?: number }): BaseChatModel
  /** `false` for a server that cannot stream: its replies come whole, and a run cut off has no partial text. */
  readonly stream?: boolean
  /**
   * Milliseconds that the model may be silent before it is given up: longer for one that thinks without a word. Absent:
   * 15 % of the run's time.
   */
  readonly patienceMs?: number | undefined
}

export type ModelSettings =
  | { readonly provider: 'offline' }
  | { readonly provider: 'openai'; readonly models: readonly EndpointSettings[] }

/** A model behind an endpoint, as the environment has it. */
export interface EndpointSettings extends Omit<OpenAIModelSettings, 'maxTokens'> {
  /** Tells it from the others of the list. */
  readonly name: string
  readonly patienceMs?: number | undefined
}

/**
 * The models to ask, in order: each further one is for when those before it are unavailable. Put your own here:
 *
 * @example
 * const { ChatAnthropic } = await import('@langchain/anthropic')
 * return [{ name: 'claude', create: cap => new ChatAnthropic({ model: 'claude-sonnet-4-5', apiKey, ...cap }) }]
 */
export async function createModels(settings: ModelSettings): Promise<readonly ModelEntry[]> {
  // Loaded here: the clients take most of the time of a start, and only one is in use.
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('./offline-model.ts')
    return [{ name: 'offline', create: cap => new OfflineModel(cap) }]
  }
  const { OpenAIModel } = await import('./openai-model.ts')
  return settings.models.map(({ name, patienceMs, ...model }) => ({
    name,
    create: cap => new OpenAIModel({ ...model, ...cap }),
    patienceMs,
  }))
}
