import table from './abbreviations.json' with { type: 'json' }
import type { Zone, ZoneMatch } from './zone.ts'

const ZERO =
  /^(?:(utc ?0?|z|zulu|uct|universal|(?:coordinated )?universal time|etc\/(?:utc|uct|zulu|universal))|gmt ?0?|greenwich(?: mean time)?|etc\/(?:gmt0?|greenwich))$/
/** The extremes of real UTC offsets. Offsets of one sign sort as text. */
const [LEAST, MOST] = ['-12:00', '+14:00']

/** Matches what is clearly meant as an offset, even out of range. */
export const LIKE_OFFSET = /^\s*(?:(?:utc|gmt)\s*)?[+\-\u2212\u2013]\s*\d/i

/** Reads `UTC`, `GMT`, `Z`, `UTC+5:30`, `GMT-3`, `+05:30`, `-0800`, `Etc/GMT+5`; from UTC-12:00 to UTC+14:00. */
export function findOffset(text: string): ZoneMatch | undefined {
  const name = text.toLowerCase().replace(/[\u2212\u2013]/g, '-')
  const zero = ZERO.exec(name)
  if (zero) return match('UTC', zero[1] ? 'UTC' : 'GMT')
  const parts = /^(etc\/gmt|utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?$/.exec(name)
  if (!parts) return undefined
  const [, prefix, sign, hours = '', minutes = '00'] = parts
  // POSIX reverses the sign: `Etc/GMT+5` is west of Greenwich, five hours behind UTC.
  const isPosix = prefix === 'etc/gmt'
  const isEast = (sign === '+') !== isPosix
  const id = `${isEast ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
  if (id > (isEast ? MOST : LEAST)) return undefined
  if (id.endsWith('00:00')) return match('UTC', isPosix ? 'GMT' : 'UTC')
  const reversed = `Etc/GMT${sign}${hours} has its sign reversed, as POSIX writes it: it is UTC${id}.`
  return match(id, `UTC${id}`, ...(isPosix ? [reversed] : []))
}

function match(id: string, label: string, ...notes: string[]): ZoneMatch {
  return { kind: 'offset', readings: [{ id, label, detail: '' }], notes }
}

/**
 * The likely readings of each abbreviation: a fixed offset, the full name, and a zone that observes the offset all year
 * or part of it, so that a note can say when it does not. An ambiguous abbreviation is answered in every reading here.
 */
const meant = zonesOf(table.meant)
/** Less likely readings, mentioned only in a note. */
const lesser = zonesOf(table.lesser)
for (const zone of [...meant.values(), ...lesser.values()].flat())
  meant.set(zone.detail.replace(/,.*/, '').toLowerCase(), [zone])

function zonesOf(list: Readonly<Record<string, readonly (readonly string[])[]>>): Map<string, Zone[]> {
  const zones = Object.entries(list).map(([label, rows]): [string, Zone[]] => [
    label.toLowerCase(),
    rows.map(([id = '', keptBy = '', detail = '']) => ({ id, label, detail, keptBy })),
  ])
  return new Map(zones)
}

/** Recognises an abbreviation or its full name, in any case. */
export function findAbbreviation(text: string): ZoneMatch | undefined {
  const key = text.toLowerCase()
  // JavaScript writes `Central European Standard Time`.
  const readings = meant.get(key) ?? meant.get(key.replace(/ standard time$/, ' time'))
  if (!readings) return undefined
  const [{ label, detail }] = readings as [Zone]
  const named = (zones: readonly Zone[]) => zones.map(({ detail, id }) => `${detail} (UTC${id})`).join(', ')
  const rest = named(lesser.get(key) ?? [])
  const ambiguous =
    `"${label}" is ambiguous: ${named(readings)}; each reading is given. Name a city to choose one.` +
    (rest && ` It may even mean ${rest}.`)
  const likely = rest && `"${label}" is read as ${detail}; it may also mean ${rest}.`
  const note = readings.length > 1 ? ambiguous : likely
  return { kind: 'abbreviation', readings, notes: note ? [note] : [] }
}
