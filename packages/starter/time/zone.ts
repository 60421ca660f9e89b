import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import abbreviations from './abbreviations.json' with { type: 'json' }
import { findPlace } from './places.ts'

/** A zone to read or show a time in. */
export interface Zone {
  /** The id for calendar arithmetic: an IANA name, `UTC`, or an offset such as `+05:30`. */
  readonly id: string
  /** The name people use: `Tokyo`, `EST`, `UTC+05:30`. */
  readonly label: string
  /** Shown in parentheses after the label: the IANA name; may be empty. */
  readonly detail: string
  /** For an abbreviation: the IANA zone of a place that observes it, at least for part of the year. */
  readonly observedIn?: string
}

/** Stands for a zone that nobody named. */
export const NO_ZONE: Zone = { id: 'UTC', label: '', detail: '' }

/** Shows a moment in seconds since 1970. */
export const UNIX: Zone = { id: 'UTC', label: 'Unix', detail: '' }

/** Longest text to look up as a zone, well above any real name. */
const LONGEST = 80
const FORMS = 'Write an IANA name (Asia/Tokyo), a city (Tokyo; Portland, Oregon) or an offset (UTC+05:30).'
/** The extremes of real UTC offsets. Offsets of one sign sort as text. */
const [LEAST, MOST] = ['-12:00', '+14:00']

/** A zone as people read it: `Tokyo (Asia/Tokyo)`, `EST`, `UTC+05:30`. */
export function zoneTitle({ label, detail }: Zone): string {
  return detail ? `${label} (${detail})` : label
}

/**
 * Reads the zone that a text names.
 * @param notes takes what was assumed about the name
 * @throws {ToolError} when it names none; the message says what to write
 */
export function readZone(text: string, notes: Set<string>): Zone {
  if (text.length > LONGEST)
    throw new ToolError(`A zone of ${text.length} characters is too long (at most ${LONGEST}). ${FORMS}`)
  const zone = findZone(text, notes)
  if (zone) return zone
  throw new ToolError(`Unknown zone "${text}". ${FORMS}`)
}

/** Finds an offset, abbreviation, IANA name, city, state or country, and notes what was assumed. */
export function findZone(written: string, notes: Set<string>): Zone | undefined {
  const text = written
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ time$/i, '')
  if (/^unix$/i.test(text)) return UNIX
  const zone = findOffset(text) ?? findAbbreviation(text) ?? findName(text)
  if (zone) return zone
  const place = findPlace(text)
  if (place?.note) notes.add(place.note)
  return place && { id: place.timezone, label: place.label, detail: place.timezone }
}

/**
 * The names in a text that is no zone but lists some: `London, Tokyo`. None in `Paris, Texas`, which means a city, though nobody
 * here knows it.
 */
export function zonesIn(text: string): string[] {
  if (text.length > LONGEST || findZone(text, new Set())) return []
  const lists = [/,|;|&|\||->|→|\b(?:and|to)\b/, /\//].map(joint =>
    text.split(joint).map(name => name.trim()),
  )
  return lists.find(names => names.length > 1 && names.every(isOwnName)) ?? []
}

/** Whether it names a zone or its city, rather than a state or country around it. */
function isOwnName(name: string): boolean {
  const zone = findZone(name, new Set())
  if (!zone || zone.detail === '') return zone !== undefined
  const own = [zone.label, zone.detail, zone.detail.replace(/^.*\//, '').replaceAll('_', ' ')]
  return own.some(one => one.toLowerCase().startsWith(name.toLowerCase()))
}

/** Reads `UTC`, `GMT`, `Z`, `UTC+5:30`, `GMT-3`, `+05:30`, `-0800`; from UTC-12:00 to UTC+14:00. */
function findOffset(text: string): Zone | undefined {
  const name = text.toUpperCase().replace(/[\u2212\u2013]/g, '-')
  if (/^(?:UTC|GMT|Z)$/.test(name)) return { id: 'UTC', label: name === 'GMT' ? 'GMT' : 'UTC', detail: '' }
  const [all, sign, hours = '', minutes = '00'] =
    /^(?:UTC|GMT)? ?([+-]) ?(\d{1,2})(?::?([0-5]\d))?$/.exec(name) ?? []
  const id = `${sign}${hours.padStart(2, '0')}:${minutes}`
  if (!all) return undefined
  if (id > (sign === '+' ? MOST : LEAST))
    throw new ToolError(`"${text}" is not an offset in use: offsets run from UTC-12:00 to UTC+14:00.`)
  return { id, label: `UTC${id}`, detail: '' }
}

/** Only those with one meaning: IST, CST and BST have several, and `Intl` reads EST as Panama's. */
function findAbbreviation(text: string): Zone | undefined {
  const label = text.toUpperCase()
  for (const [observedIn, offsets] of Object.entries(abbreviations)) {
    const found = Object.entries(offsets).find(([abbreviation]) => abbreviation === label)
    if (found) return { id: found[1], label, detail: '', observedIn }
  }
  return undefined
}

/** An IANA name of an area and a place, in any case, with spaces for underscores. */
function findName(text: string): Zone | undefined {
  const written = text.replaceAll(' ', '_')
  // The others are abbreviations to `Intl`: it reads BST as Bangladesh's.
  if (!/^[a-z][\w+-]*(?:\/[a-z][\w+-]*){1,2}$/i.test(written)) return undefined
  try {
    const { timeZoneId: id } = new Temporal.ZonedDateTime(0n, written)
    return { id, label: id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' '), detail: id }
  } catch {
    return undefined
  }
}
