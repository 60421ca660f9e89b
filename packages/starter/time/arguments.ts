import { ToolError } from '@agent-task-service/engine/tool'
import { z } from 'zod'

const text = z.string().optional()

/** A call of each operation, to be written as it stands. */
const EXAMPLES = {
  now: '{"operation": "now", "zone": "Tokyo"}',
  convert: '{"operation": "convert", "time": "now", "zone": "London", "to_zones": ["Tokyo"]}',
  add: '{"operation": "add", "time": "2026-03-01", "duration": "5 business days"}',
  difference: '{"operation": "difference", "time": "now", "end": "2026-12-24"}',
}

type Operation = keyof typeof EXAMPLES

/** The schema of the tool. Unknown members pass it, so that the refusal can name those that the operation takes. */
export const timeArguments = z
  .looseObject({
    // Any value passes: the refusal of `checkOperation` shows whole calls.
    operation: z
      .unknown()
      .optional()
      .meta({ type: 'string', enum: Object.keys(EXAMPLES) }),
    time: text.describe('"2026-03-01T15:00", "Friday 3pm Tokyo", "now"'),
    end: text,
    zone: text.describe('if time names none'),
    to_zones: z.array(z.string()).optional().describe('"Tokyo", "UTC+5", "Unix"'),
    duration: text.describe('"3 days 4 hours", "-5 business days"'),
  })
  // Every provider knows the dialect, and its address costs 17 tokens a call.
  .meta({ $schema: undefined, required: ['operation'] })

/** The arguments of the time tool; `operation` decides which are required. */
export type TimeArguments = Pick<
  z.output<typeof timeArguments>,
  'operation' | 'time' | 'end' | 'zone' | 'to_zones' | 'duration'
>

const MOST_ZONES = 20

const MEMBERS: Readonly<Record<Operation, { needs: string[]; takes: string[] }>> = {
  now: { needs: [], takes: ['zone', 'to_zones'] },
  convert: { needs: ['time'], takes: ['zone', 'to_zones'] },
  add: { needs: ['time', 'duration'], takes: ['zone', 'to_zones'] },
  difference: { needs: ['time', 'end'], takes: ['zone'] },
}

/** Other names of members that models write. */
const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    time: 'start start_date start_time from from_date date datetime',
    // Only a difference has an end: elsewhere `to` is refused.
    end: 'end_date end_time to to_date',
    duration: 'amount delta',
    zone: 'timezone time_zone tz from_zone from_timezone location city',
    to_zones: 'to_zone to_timezone to_timezones target_zone target_timezone zones timezones',
  }).flatMap(([member, names]) => names.split(' ').map(name => [name, member])),
)

type Members = Record<string, unknown>

/**
 * Returns the arguments by the names of the schema, without those that models fill in although they leave them out.
 * @throws {ToolError} when a member is missing, or not one of the operation's: leaving it out would change the answer
 */
export function checkArguments(received: TimeArguments): TimeArguments & { operation: Operation } {
  const filled = Object.entries(received).filter(([, value]) => `${value ?? ''}` !== '')
  const operation = checkOperation(received.operation)
  const { needs, takes } = MEMBERS[operation]
  const members = withOwnNames(Object.fromEntries(filled), [...needs, ...takes])
  delete members.operation
  const isNow = (value: unknown) => /^now$/i.test(`${value}`)
  // It can only be the time that is asked about.
  if (isNow(members.zone)) {
    delete members.zone
    if (needs.includes('time')) members.time ??= 'now'
  }
  if (operation === 'now' && isNow(members.time)) delete members.time
  const quoted = (names: readonly string[]) => names.map(name => `"${name}"`).join(', ')
  const form = `"${operation}" ${needs.length > 0 ? `needs ${quoted(needs)}, and ` : ''}may have ${quoted(takes)}.`
  const unknown = Object.keys(members).filter(member => ![...needs, ...takes].includes(member))
  const example = `Such as ${EXAMPLES[operation]}.`
  if (unknown.length > 0) throw new ToolError(`There is no ${quoted(unknown)} here: ${form} ${example}`)
  if (needs.some(member => !(member in members))) throw new ToolError(`${form} ${example}`)
  const args: TimeArguments = members
  const count = args.to_zones?.length ?? 0
  if (count > MOST_ZONES) throw new ToolError(`${count} zones are too many: at most ${MOST_ZONES} at once.`)
  return { ...args, operation }
}

function checkOperation(operation: unknown): Operation {
  if (typeof operation === 'string' && Object.hasOwn(EXAMPLES, operation)) return operation as Operation
  const { now, convert, add, difference } = EXAMPLES
  const shown = JSON.stringify(operation)?.slice(0, 40)
  throw new ToolError(
    `${operation === undefined ? '"operation" is missing' : `There is no operation ${shown}`}. Write ${now}, ${convert} (without zones for a weekday), ` +
      `${add} (a negative duration subtracts) or ${difference}.`,
  )
}

/** A member by another name is that member, unless both are there. */
function withOwnNames(args: Members, known: readonly string[]): Members {
  const named = { ...args }
  for (const [name, value] of Object.entries(args)) {
    const member = ALIASES.get(name)
    const texts = [value].flat()
    if (!member || !known.includes(member) || member in named || !texts.every(one => typeof one === 'string'))
      continue
    if (member !== 'to_zones' && Array.isArray(value)) continue
    named[member] = member === 'to_zones' ? texts : value
    delete named[name]
  }
  return named
}
