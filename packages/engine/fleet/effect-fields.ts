import type { Mask } from '@agent-task-service/masking'
import { parseJson } from '@agent-task-service/untrusted/json'
import { z } from 'zod'
import { type Effect, effectOutcome } from '../effects/effect.ts'

/** Prefix of the fields of a task's hash that hold its effects. */
const PREFIX = 'e:'
/** Longest value of a field, in characters: a result and what stands around it. */
const MAX_LENGTH = 100_000

const value = z
  .string()
  .max(MAX_LENGTH)
  .transform(text => parseJson(text))
  .pipe(
    z.object({
      tool: z.string().min(1).max(64),
      begunAt: z.int().min(0).max(8.64e15),
      outcome: effectOutcome.optional(),
    }),
  )

/** Fields and values in turn, as the scripts return them. */
export const effectFields = z.array(z.string()).transform((fields, context) => {
  const effects: Effect[] = []
  for (let at = 0; at < fields.length; at += 2) {
    const parsed = value.safeParse(fields[at + 1])
    if (parsed.success) effects.push({ key: fields[at]!.slice(PREFIX.length), ...parsed.data })
    else context.addIssue({ code: 'custom', message: 'expected an effect' })
  }
  return effects
})

/** The effect's field and value, with secrets masked. */
export function effectField({ key, ...effect }: Effect, mask: Mask): [field: string, value: string] {
  const masked = mask(JSON.stringify(effect))
  // A masked number would be no JSON.
  const isReadable = value.safeParse(masked).success
  return [PREFIX + key, isReadable ? masked : JSON.stringify({ ...effect, outcome: { kind: 'done' } })]
}
