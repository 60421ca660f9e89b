import type { ModelSettings } from '../graph/model/model-entry.ts'

/** Which setting of which model in the list each variable is. */
const SETTING_OF = {
  MODEL: '0.model',
  OPENAI_API_KEY: '0.apiKey',
  OPENAI_BASE_URL: '0.baseUrl',
  OPENAI_API: '0.api',
  TEMPERATURE: '0.temperature',
  MODEL_PARAMS: '0.params',
  MODEL_HEADERS: '0.headers',
  MODEL_PATIENCE_SEC: '0.patienceMs',
  MODEL_PRICE: '0.rates',
  FALLBACK_MODEL: '1.model',
  FALLBACK_API_KEY: '1.apiKey',
  FALLBACK_BASE_URL: '1.baseUrl',
  FALLBACK_API: '1.api',
  FALLBACK_PARAMS: '1.params',
  FALLBACK_HEADERS: '1.headers',
  FALLBACK_PATIENCE_SEC: '1.patienceMs',
  FALLBACK_PRICE: '1.rates',
} as const

export const modelVariables = Object.keys(SETTING_OF) as (keyof typeof SETTING_OF)[]

/**
 * Notes which settings a list of models reads: another provider's class may have no use for some.
 *
 * @returns the settings to pass on, and a function that tells which of the given variables were not read so far
 */
export function watchModelSettings(settings: ModelSettings) {
  const read = new Set<string>()
  const watched = (target: object, index: number) =>
    new Proxy(target, {
      get(target, name) {
        read.add(`${index}.${String(name)}`)
        return Reflect.get(target, name)
      },
    })
  const isOffline = settings.provider === 'offline'
  return {
    settings: isOffline ? settings : ({ ...settings, models: settings.models.map(watched) } as ModelSettings),
    unused: (given: readonly (keyof typeof SETTING_OF)[]) =>
      isOffline ? [] : given.filter(name => !read.has(SETTING_OF[name])),
  }
}
