import { ToolError } from '@agent-task-service/engine/tool'
import { z } from 'zod'

const text = z.string().optional()

/** The schema of the tool. Unknown members pass it, so that the refusal can name those that the operation takes. */
export const timeArguments = z
  .looseObject({
    operation: z.enum(['now', 'convert', 'add', 'difference'], {
      error: 'write now, convert (also for a weekday), add (a negative duration subtracts) or difference',
    }),
    time: text.describe('"2026-03-01T15:00", "Friday 3pm Tokyo", "now"'),
    end: text,
    zone: text.describe('if time names none'),
    to_zones: z.array(z.string()).optional().describe('"Tokyo", "UTC+5", "Unix"'),
    duration: text.describe('"3 days 4 hours", "-5 business days"'),
  })
  // Every provider knows the dialect, and its address costs 17 tokens a call.
  .meta({ $schema: undefined })

/** The arguments of the time tool; `operation` decides which are required. */
export type TimeArguments = Pick<
  z.output<typeof timeArguments>,
  'operation' | 'time' | 'end' | 'zone' | 'to_zones' | 'duration'
>

const MOST_ZONES = 20

const MEMBERS: Readonly<Record<TimeArguments['operation'], { needs: string[]; takes: string[] }>> = {
  now: { needs: [], takes: ['zone', 'to_zones'] },
  convert: { needs: ['time'], takes: ['zone', 'to_zones'] },
  add: { needs: ['time', 'duration'], takes: ['zone', 'to_zones'] },
  difference: { needs: ['time', 'end'], takes: ['zone'] },
}

/**
 * Returns the arguments without those that models fill in although they leave them out.
 * @throws {ToolError} when a member is missing, or not one of the operation's: leaving it out would change the answer
 */
export function checkArguments(received: TimeArguments): TimeArguments {
  const args = Object.fromEntries(
    Object.entries(received).filter(([, value]) => `${value ?? ''}` !== ''),
  ) as TimeArguments
  const { needs, takes } = MEMBERS[args.operation]
  if (/^now$/i.test(args.zone ?? '')) {
    // It can only be the time that is asked about.
    delete args.zone
    if (needs.includes('time')) args.time ??= 'now'
  }
  const { operation, ...members } = args
  const quoted = (names: readonly string[]) => names.map(name => `"${name}"`).join(', ')
  const form = `"${operation}" ${needs.length > 0 ? `needs ${quoted(needs)}, and ` : ''}may have ${quoted(takes)}.`
  const unknown = Object.keys(members).find(member => ![...needs, ...takes].includes(member))
  if (unknown) throw new ToolError(`There is no "${unknown}" here: ${form}`)
  if (needs.some(member => !(member in members))) throw new ToolError(form)
  const count = members.to_zones?.length ?? 0
  if (count > MOST_ZONES) throw new ToolError(`${count} zones are too many: at most ${MOST_ZONES} at once.`)
  return args
}
