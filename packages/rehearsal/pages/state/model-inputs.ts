import type { RecordedEvent } from '../../api.ts'
import { isObject, textOf } from '../../json.ts'
import { known } from './run-steps.ts'

export type InputPart = 'System' | 'Tools' | 'Task' | 'Earlier' | 'New'

/** A message that a model read. */
export interface InputMessage {
  readonly role: string
  readonly part: InputPart
  readonly tokens: number
  readonly text: string
}

/** What is read at the beginning, by role; all else is earlier calls and their results. */
const PARTS: ReadonlyMap<string, InputPart> = new Map([
  ['system', 'System'],
  ['tools', 'Tools'],
  ['user', 'Task'],
])

/**
 * What each model call read, by its step. A message is new if no earlier call of the run has read it; of the first call none
 * is. Ignores what it does not know, since the agent may be newer than this page.
 */
export function modelInputsIn(
  events: readonly RecordedEvent[],
): ReadonlyMap<number, readonly InputMessage[]> {
  const texts = new Map<unknown, string>()
  const firstSteps = new Map<unknown, number>()
  const inputs = new Map<number, readonly InputMessage[]>()
  for (const { data } of events) {
    const step = known(data.step)
    if (step === null) continue
    const messages = Array.isArray(data.messages) ? data.messages.filter(isObject) : []
    const isFirst = inputs.size === 0 || [...inputs.keys()][0] === step
    for (const { number, text } of messages) {
      if (!texts.has(number)) texts.set(number, textOf(text))
      if (!firstSteps.has(number)) firstSteps.set(number, step)
    }
    const read = messages.map(({ number, role, tokens }) => {
      const isNew = !isFirst && firstSteps.get(number) === step
      const part = isNew ? 'New' : (PARTS.get(textOf(role)) ?? 'Earlier')
      return {
        role: textOf(role),
        part,
        tokens: known(tokens) ?? 0,
        text: texts.get(number) ?? '',
      }
    })
    inputs.set(step, read)
  }
  return inputs
}
