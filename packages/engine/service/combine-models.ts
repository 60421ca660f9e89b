import { isDeepStrictEqual } from 'node:util'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AgentDefinition } from '../agent/definition.ts'
import type { Config } from '../config/config.ts'
import { SetupError } from '../failures/setup-error.ts'
import type { Log } from '../log/log.ts'
import { RETRIES } from '../log/model-log.ts'
import type { ModelSettings } from '../model/model-entry.ts'
import { createModel, expectEntries, type ModelWithFallbacks } from '../model/model-with-fallbacks.ts'

/** The agent's models as one. Logs what its owner should know of them. */
export async function combineModels(
  agent: Pick<AgentDefinition, 'models'>,
  { model, limits, maxDayCostUsd, writtenCalls, notReadOffline }: Config,
  log: Log,
): Promise<ModelWithFallbacks> {
  const entries = expectEntries(await agent.models(model))
  for (const { name, price } of limits.maxCostUsd || maxDayCostUsd ? entries : []) {
    if (await price?.()) continue
    if (limits.maxCostUsd !== undefined) throw priceNeeded(name)
    log.warn({ model: name }, 'no price: MAX_DAY_COST_USD counts only what its provider reports')
  }
  const combined = createModel(entries, writtenCalls)
  const made = combined.models.map(({ uncapped }) => uncapped)
  for (const name of unusedSettings(model, made))
    log.warn(`${name} is set, but graph/models.ts does not use it`)
  if (combined.models.every(({ kind }) => kind.provider === 'offline')) logNotRead(notReadOffline, log)
  for (const { entry, kind } of combined.models) {
    const { chatClass, takesTools, retries } = kind
    if (!takesTools) log.warn(`${chatClass} has no bindTools(), so it is offered no tools`)
    if (retries > 0) log.warn({ model: entry.name, class: chatClass, retries }, RETRIES)
  }
  return combined
}

/** Logs which variables are set in vain, and what holds instead. */
export function logNotRead(variables: Config['notRead'], log: Log): void {
  for (const { name, instead } of variables) log.warn(`${name} is not read: ${instead}`)
}

function priceNeeded(model: string): SetupError {
  const setting = 'set MODEL_PRICE or FALLBACK_PRICE, or add price() to your entry'
  return new SetupError(
    `the model ${JSON.stringify(model)}: expected a price, since MAX_RUN_COST_USD is set, got none; ${setting}`,
  )
}

/**
 * The variables that are set though no model of the list has any of what they say: its class may have no use for it.
 *
 * @param made a model of each entry
 */
function unusedSettings(settings: ModelSettings, made: readonly BaseChatModel[]): string[] {
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
