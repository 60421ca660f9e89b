import { z } from 'zod'

export const OPERATIONS = ['now', 'convert', 'difference', 'add', 'weekday'] as const

const text = (description: string) => z.string().optional().describe(description)
const texts = (description: string) => z.array(z.string()).optional().describe(description)

const ZONE =
  'an IANA name ("Asia/Tokyo"), a city or country ("Tokyo"), an offset ("UTC+05:30") or an abbreviation ("CET")'
const TIME =
  '"2026-03-01T15:00", "2026-03-01 3:30 pm", "March 1, 2026 noon", "15:00", "tomorrow 9am", "today" or "now"; ' +
  'an offset or zone may follow ("2026-03-01T15:00Z", "3pm Tokyo")'

/** The arguments of the time tool. Which are needed depends on `operation`. */
export const timeArguments = z.object({
  operation: z
    .enum(OPERATIONS)
    .describe(
      'now: the current time in `zones`. convert: `time` in `from_zone` as local time in `to_zones`. ' +
        'difference: from `start` to `end`. add: `time` plus `duration` (negative to subtract). ' +
        'weekday: weekday and ISO week of the date `time`.',
    ),
  zones: texts(`now: the zones to show. A zone is ${ZONE}.`),
  time: text(`convert, add, weekday: the moment or date: ${TIME}.`),
  from_zone: text(
    'convert, difference, add, weekday: the zone in which times without one of their own are read.',
  ),
  to_zones: texts('convert; add, optionally: the zones to show the result in.'),
  start: text('difference: the first moment or date, written like `time`.'),
  end: text('difference: the second moment or date, written like `time`.'),
  duration: text(
    'add: "3 days 4 hours", "90 minutes", "2 weeks", "1 month", "-2 days", or ISO 8601 such as "P1DT2H".',
  ),
})

export type TimeArguments = z.output<typeof timeArguments>
