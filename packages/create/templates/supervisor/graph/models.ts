import { type ModelEntry, type ModelSettings, priceAt } from '@agent-task-service/engine'

/**
 * The models to use, in order: each is the fallback for the ones before it. Put your own here:
 *
 * @example
 * const { ChatAnthropic } = await import('@langchain/anthropic')
 * return [{ name: 'claude', create: cap => new ChatAnthropic({ model, apiKey, maxRetries: 0, ...cap }) }]
 */
export async function createModels(settings: ModelSettings): Promise<readonly ModelEntry[]> {
  // Imported dynamically: clients take most of the start-up time.
  if (settings.provider === 'offline') {
    const { OfflineModel } = await import('@agent-task-service/starter/offline-model')
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
