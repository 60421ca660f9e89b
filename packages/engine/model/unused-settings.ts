import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { ModelSettings } from './model-entry.ts'

/**
 * The variables that are set though no model of the list has any of what they say: its class may have no use for it.
 *
 * @param made a model of each entry
 */
export function unusedSettings(settings: ModelSettings, made: readonly BaseChatModel[]): string[] {
  if (settings.provider === 'offline') return []
  const [first, fallback] = settings.models
  const held = made.flatMap(model => [...withParts(model), ...withParts(model.invocationParams({}))])
  const isUnused = (wanted: object = {}) => {
    const set = Object.entries(wanted).filter(([, value]) => value !== undefined)
    const isHeld = set.some(([name, value]) => held.some(each => isDeepStrictEqual(each[name], value)))
    return set.length > 0 && !isHeld
  }
  const { temperature, params } = first ?? {}
  const wanted = { TEMPERATURE: { temperature }, MODEL_PARAMS: params, FALLBACK_PARAMS: fallback?.params }
  return Object.entries(wanted).flatMap(([variable, members]) => (isUnused(members) ? [variable] : []))
}

/** The object and its members that are objects, such as `modelKwargs`. */
function withParts(object: object) {
  return [object, ...Object.values(object)].filter(isObject)
}
