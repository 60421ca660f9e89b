import { type CallOutcome, callOutcome, type Effect } from '@agent-task-service/engine/share'
import type { Mask } from '@agent-task-service/wire/masking'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import { EFFECT, type EffectFields, STEP, type StepFields } from './claim-scripts.ts'

/** Longest value of a field, in characters: a result and what stands around it. */
const MAX_LENGTH = 2 ** 18

/** A key may be in an error and in the log. */
const field = z.string().regex(new RegExp(`^${EFFECT}[\\w-]{1,45}$`))
const value = z
  .string()
  .max(MAX_LENGTH)
  .transform(text => parseJson(text))
  .pipe(
    z.object({
      tool: z.string().regex(/^[\w-]{1,64}$/),
      begunAt: z.int().min(0).max(8.64e15),
      isDeclared: z.boolean(),
      outcome: callOutcome.optional(),
    }),
  )
const pair = z.tuple([field, value])

/** Fields and values in turn, as the scripts return them. */
const pairs = z
  .array(z.string())
  .transform(fields =>
    Array.from({ length: fields.length / 2 }, (_, nth) => fields.slice(2 * nth, 2 * nth + 2)),
  )

/** One that is not valid may not be passed over. */
const effects = z
  .array(pair)
  .transform(pairs => pairs.map(([field, value]): Effect => ({ key: field.slice(EFFECT.length), ...value })))

/** Records by key. One that is too long is none. */
const steps = z.array(z.tuple([z.string(), z.string()])).transform(pairs => {
  const read = pairs.filter(([, record]) => record.length <= MAX_LENGTH)
  return new Map(read.map(([field, record]) => [field.slice(STEP.length), record]))
})

/** What a task's runs did before. */
export const taskFields = pairs
  .transform(all => {
    const isStep = ([field = '']: readonly string[]) => field.startsWith(STEP)
    return { effects: all.filter(each => !isStep(each)), steps: all.filter(isStep) }
  })
  .pipe(z.object({ effects, steps }))

export type Earlier = z.output<typeof taskFields>

/** The effects as fields and values, with secrets masked. */
export function effectFields(effects: readonly Effect[], mask: Mask): EffectFields {
  return Object.fromEntries(
    effects.map(({ key, outcome, ...effect }) => [
      EFFECT + key,
      JSON.stringify({ ...effect, outcome: outcome && masked(outcome, mask) }),
    ]),
  )
}

/** The records as fields and values. Secrets are masked before. */
export function stepFields(steps: Iterable<readonly [key: string, record: string]>): StepFields {
  return Object.fromEntries([...steps].map(([key, record]) => [STEP + key, record]))
}

function masked(outcome: CallOutcome, mask: Mask): CallOutcome {
  if (outcome.kind === 'failed') return { ...outcome, message: mask(outcome.message) }
  if (outcome.kind === 'not_done' || outcome.result === undefined) return outcome
  const result = parseJson(mask(JSON.stringify(outcome.result)))
  // A masked number leaves no JSON.
  return result === undefined ? { kind: 'done' } : { kind: 'done', result: result as z.core.util.JSONType }
}
