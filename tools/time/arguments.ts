import { z } from 'zod'

/** Models send `null` for what they leave out, and a bare text for a list of one. */
const text = (description: string) =>
  z
    .preprocess(value => value ?? undefined, z.string().optional())
    .optional()
    .describe(description)
const texts = (description: string) =>
  z
    .preprocess(
      value => (typeof value === 'string' ? [value] : (value ?? undefined)),
      z.array(z.string()).optional(),
    )
    .optional()
    .describe(description)

/** The arguments of the time tool. Which are needed depends on `operation`. */
export const timeArguments = z.object({
  operation: z.enum(['now', 'convert', 'difference', 'add', 'weekday']),
  zones: texts('now: cities, countries, IANA names, offsets ("UTC+05:30") or abbreviations'),
  time: text(
    'convert, add, weekday: "2026-03-01T15:00", "March 1, 2026 noon", "3pm Tokyo", "next Friday", "now"',
  ),
  from_zone: text('the zone of times that name none'),
  to_zones: texts('convert, add: zones of the result'),
  start: text('difference: like `time`; or a place, compared with that in `end`'),
  end: text('difference'),
  duration: text('add: "3 days 4 hours", "-2 weeks", "5 business days", "P1DT2H"'),
})

export type TimeArguments = z.output<typeof timeArguments>
