import type { EndpointSettings, ModelSettings } from './model-entry.ts'

/** Settings that only some chat classes have a use for, and the variables they come from, for each model of the list. */
const WATCHED = [
  { temperature: 'TEMPERATURE', params: 'MODEL_PARAMS' },
  { temperature: 'TEMPERATURE', params: 'FALLBACK_PARAMS' },
] as const

/**
 * Notes which of these settings a list of models reads: another provider's class may have no use for them.
 *
 * @returns the settings to pass on, and a function that returns the variables that are set and were not read so far
 */
export function watchModelSettings(settings: ModelSettings) {
  const read = new Set<string>()
  if (settings.provider === 'offline') return { settings, unread: () => [] }
  const set = new Set<string>()
  const models = settings.models.map((model, index): EndpointSettings => {
    const watched = { ...model }
    for (const name of ['temperature', 'params'] as const) {
      const variable = WATCHED[index]?.[name]
      const value = model[name]
      if (!variable || value === undefined) continue
      set.add(variable)
      Object.defineProperty(watched, name, {
        enumerable: true,
        get() {
          read.add(variable)
          return value
        },
      })
    }
    return watched
  })
  return { settings: { ...settings, models }, unread: () => [...set].filter(name => !read.has(name)) }
}
