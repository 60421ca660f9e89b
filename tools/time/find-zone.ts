import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import table from './abbreviations.json' with { type: 'json' }
import { findPlace } from './find-place.ts'
import { UNIX, type Zone } from './zone.ts'

/** Longest text to look up as a zone, well above any real name. */
const LONGEST = 80
const FORMS = 'Write an IANA name (Asia/Tokyo), a city (Tokyo; Portland, Oregon) or an offset (UTC+05:30).'
/** The extremes of real UTC offsets. Offsets of one sign sort as text. */
const [LEAST, MOST] = ['-12:00', '+14:00']

/** Only those with one meaning: IST, CST and BST have several. */
const ABBREVIATIONS: Readonly<Record<string, readonly string[]>> = table

/**
 * Returns the zone that a text names.
 * @throws {ToolError} when it names none or several; the message says what to write
 */
export function readZone(text: string): Zone {
  if (text.length > LONGEST)
    throw new ToolError(`A zone of ${text.length} characters is too long (at most ${LONGEST}). ${FORMS}`)
  const found = findZone(text)
  if (found) return found
  throw new ToolError(`Unknown zone "${text}". ${FORMS}`)
}

/**
 * Finds an IANA name, offset, abbreviation, city, state or country.
 * @throws {ToolError} with the choices when the text names several zones
 */
export function findZone(written: string): Zone | undefined {
  const text = written
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/ time$/i, '')
  if (/^unix$/i.test(text)) return UNIX
  const isPath = text.includes('/')
  return (
    findOffset(text) ?? findAbbreviation(text) ?? (isPath ? undefined : findPlace(text)) ?? findName(text)
  )
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

/** Comes before the IANA names, since EST there is Panama's. */
function findAbbreviation(text: string): Zone | undefined {
  const label = text.toUpperCase()
  const [id, keptBy] = Object.hasOwn(ABBREVIATIONS, label) ? ABBREVIATIONS[label]! : []
  return id && keptBy ? { id, label, detail: '', keptBy } : undefined
}

/** An IANA name in any case, with spaces for underscores. */
function findName(text: string): Zone | undefined {
  const written = text.replaceAll(' ', '_')
  // ICU still accepts names that the IANA database dropped long ago.
  if (!/^(?!systemv)[a-z][\w+-]*(?:\/[a-z][\w+-]*){0,2}$/i.test(written)) return undefined
  try {
    const { timeZoneId: id } = new Temporal.ZonedDateTime(0n, written)
    return { id, label: id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' '), detail: id }
  } catch {
    return undefined
  }
}
