import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { OpenAIModelSettings } from './openai-model.ts'

/** A chat model under the name that logs show. */
export interface NamedModel {
  readonly name: string
  readonly chat: Pick<BaseChatModel, 'invoke'>
}

export type ModelSettings =
  | { readonly provider: 'offline' }
  | (OpenAIModelSettings & { readonly provider: 'openai'; readonly fallbackModel?: string | undefined })

/** The models to ask, in order: the second is for when the first stays unavailable. Loads only the client in use. */
export async function createModels(settings: ModelSettings): Promise<readonly NamedModel[]> {
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('./offline-model.ts')
    return [{ name: 'offline', chat: new OfflineModel() }]
  }
  const { OpenAIModel } = await import('./openai-model.ts')
  const names = [settings.model, settings.fallbackModel].filter(name => name !== undefined)
  return names.map(name => ({ name, chat: new OpenAIModel({ ...settings, model: name }) }))
}
