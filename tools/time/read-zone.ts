import { distance } from 'fastest-levenshtein'
import { ToolError } from '../tool.ts'
import { cityNames, findZone, LONGEST_ZONE } from './find-zone.ts'
import { looksLikeOffset } from './offsets.ts'
import { nameKey, type ZoneMatch } from './zone.ts'

const FORMS = 'Write an IANA name (Asia/Tokyo), a city (Tokyo) or an offset (UTC+05:30).'
const MOST_SUGGESTIONS = 4

/**
 * Returns the zone that a text names.
 * @throws {ToolError} with similar names when it names none; with the choices for a country of several zones
 */
export function readZone(text: string): ZoneMatch {
  const found = findZone(text)
  if (found?.choose !== undefined) throw new ToolError(found.choose)
  if (found) return found
  if (text.length > LONGEST_ZONE) {
    throw new ToolError(`A zone of ${text.length} characters is too long (at most ${LONGEST_ZONE}). ${FORMS}`)
  }
  if (text.trim() === '') throw new ToolError(`A zone is empty. ${FORMS}`)
  if (looksLikeOffset(text)) {
    throw new ToolError(
      `"${text}" is not an offset in use: they run from UTC-12:00 to UTC+14:00 (UTC+05:30).`,
    )
  }
  const near = nearNames(text)
  const hint = near.length > 0 ? ` Near it: ${near.join(', ')}.` : ''
  throw new ToolError(`Unknown zone "${text}".${hint} ${FORMS}`)
}

/** Known names that the text misspells or abbreviates, nearest first. */
export function nearNames(text: string): string[] {
  const key = nameKey(text)
  if (key.length < 2 || key.length > LONGEST_ZONE) return []
  const allowed = key.length <= 4 ? 1 : key.length <= 8 ? 2 : 3
  names ??= [...cityNames(), ...Intl.supportedValuesOf('timeZone')].map(name => [nameKey(name), name])
  const near = names
    .filter(([other]) => other.startsWith(key) || Math.abs(other.length - key.length) <= allowed)
    .map(([other, name]) => ({
      name,
      slips: other.startsWith(key) && key.length > 2 ? 0.9 : distance(key, other),
    }))
    .filter(({ slips }) => slips <= allowed)
    .sort((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1))
  return [...new Set(near.map(({ name }) => name))].slice(0, MOST_SUGGESTIONS)
}

/** Every name worth suggesting, with its comparison key. */
let names: [key: string, name: string][] | undefined
