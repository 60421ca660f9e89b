import { z } from 'zod'

/** A list that drops its unusable members, but fails if all of them are. */
export function listOf<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  return z.array(z.unknown()).transform((members, context) => {
    const usable = members.flatMap(member => {
      const parsed = item.safeParse(member)
      return parsed.success ? [parsed.data] : []
    })
    if (members.length > 0 && usable.length === 0)
      context.addIssue({ code: 'custom', message: 'no member has the expected shape' })
    return usable
  })
}

/** A string that engines omit or send as `null` if they have none. */
export const optionalText = z
  .string()
  .nullish()
  .transform(text => text ?? '')
