import { registerHooks } from 'node:module'
import { plants } from './plants.ts'

const STAND_IN = new URL('ioredis.ts', import.meta.url).href

/**
 * Puts the simulated Redis in the place of ioredis. Call it before the engine is imported.
 *
 * @param planted name of the fault to plant in a source; absent: none
 */
export function prepareModules(planted: string | undefined): void {
  const plant = planted === undefined ? undefined : plants[planted]
  if (planted !== undefined && !plant)
    throw new Error(`expected a fault to plant, one of ${Object.keys(plants).join(', ')}, got ${planted}`)
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ioredis' ? { url: STAND_IN, shortCircuit: true } : next(specifier, context),
    load(url, context, next) {
      const loaded = next(url, context)
      if (!plant || !url.endsWith(`/packages/${plant.file}`)) return loaded
      const source = String(loaded.source)
      const changed = source.replace(plant.was, plant.is)
      if (changed === source)
        throw new Error(`expected ${plant.file} to hold ${plant.was}, got a file without it`)
      return { ...loaded, source: changed }
    },
  })
}
