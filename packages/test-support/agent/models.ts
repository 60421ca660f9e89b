import type { ModelEntry, ModelSettings } from '@agent-task-service/engine'
import { priceAt } from '@agent-task-service/engine'

/** The models that the environment names. Imported dynamically, as in an agent, so that each start loads only its own. */
export async function createModels(settings: ModelSettings): Promise<readonly ModelEntry[]> {
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('@agent-task-service/starter/offline-model')
    const free = priceAt({ input: 0, output: 0 })
    return [{ name: 'offline', create: cap => new OfflineModel(cap), price: async () => free }]
  }
  const { OpenAIModel, OPENAI_URL } = await import('@agent-task-service/engine/openai-model')
  const { listedPrice } = await import('@agent-task-service/engine/listed-prices')
  return settings.models.map(({ name, patienceMs, rates, ...model }) => ({
    name,
    patienceMs,
    create: cap => new OpenAIModel({ ...model, ...cap }),
    price: async () => (rates ? priceAt(rates) : await listedPrice(model.model, model.baseUrl ?? OPENAI_URL)),
  }))
}
