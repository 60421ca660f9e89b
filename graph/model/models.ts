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
}

export type ModelSettings =
  | { readonly provider: 'offline' }
  | (OpenAIModelSettings & { readonly provider: 'openai'; readonly fallbackModel?: string | undefined })

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
  const names = [settings.model, settings.fallbackModel].filter(name => name !== undefined)
  return names.map(model => ({ name: model, create: cap => new OpenAIModel({ ...settings, ...cap, model }) }))
}
