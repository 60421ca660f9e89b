import { priceAt } from '../run/price.ts'
import type { ModelEntry } from './model-entry.ts'

/** The embedded model as a list of models. */
export async function offlineModels(): Promise<readonly ModelEntry[]> {
  const { OfflineModel } = await import('./offline-model.ts')
  const free = priceAt({ input: 0, output: 0 })
  return [{ name: 'offline', create: cap => new OfflineModel(cap), price: async () => free }]
}
