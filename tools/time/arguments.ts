import { z } from 'zod'

const text = z.string().optional()

/** The schema of the tool. Unknown members pass it, so that `answer` can name the right one. */
export const timeArguments = z
  .looseObject({
    operation: z.enum(['now', 'convert', 'add', 'difference']),
    time: text.describe('"2026-03-01T15:00", "Friday 3pm Tokyo", "now"'),
    end: text.describe('of a difference'),
    zone: text.describe('if time names none: "Tokyo", "UTC+5"'),
    to_zones: z.array(z.string()).optional().describe('to show, or "Unix"'),
    duration: text.describe('"3 days 4 hours", "-2 weeks"'),
  })
  // Every provider knows the dialect, and its address costs 17 tokens a call.
  .meta({ $schema: undefined })

/** The arguments of the time tool; `operation` decides which are required. */
export type TimeArguments = Pick<
  z.output<typeof timeArguments>,
  'operation' | 'time' | 'end' | 'zone' | 'to_zones' | 'duration'
>
