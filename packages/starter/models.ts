import { type ModelEntry, type ModelSettings, priceAt } from '@agent-task-service/engine'

/** The models that the environment names, each the fallback for the one before it; the offline model if it names none. */
export async function createModels(settings: ModelSettings): Promise<readonly ModelEntry[]> {
  // Imported dynamically: clients take most of the start-up time.
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('./offline-model/offline-model.ts')
    const price = async () => priceAt({ input: 0, output: 0 })
    return [{ name: 'offline', create: cap => new OfflineModel(cap), price }]
  }
  const { OpenAIModel, OPENAI_URL } = await import('@agent-task-service/engine/openai-model')
  const { listedPrice } = await import('@agent-task-service/engine/listed-prices')
  return settings.models.map(({ name, patienceMs, rates, ...model }) => ({
    name,
    create: cap => new OpenAIModel({ ...model, ...cap }),
    patienceMs,
    price: async () => (rates ? priceAt(rates) : await listedPrice(model.model, model.baseUrl ?? OPENAI_URL)),
  }))
}
