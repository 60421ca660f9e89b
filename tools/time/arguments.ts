import { z } from 'zod'

const text = z.string().optional()
const texts = z.array(z.string()).optional()

/** The arguments of the time tool; `operation` decides which are required. */
export const timeArguments = z.object({
  operation: z.enum(['now', 'convert', 'difference', 'add', 'weekday']),
  zones: texts.describe('now: cities, countries, IANA names, "UTC+5" or "CET"'),
  time: text.describe('convert, add, weekday: "2026-03-01T15:00", "3pm Tokyo", "next Friday" or "now"'),
  from_zone: text.describe('of times that name none'),
  to_zones: texts.describe('convert, add'),
  start: text.describe('difference: a time, or a place'),
  end: text,
  duration: text.describe('add: "3 days 4 hours", "-2 weeks", "5 business days"'),
})

export type TimeArguments = z.output<typeof timeArguments>
