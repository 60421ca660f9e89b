import { distance } from 'fastest-levenshtein'
import { ToolError } from '../tool.ts'
import { findPlace } from './find-place.ts'
import { findAbbreviation, findOffset, LIKE_OFFSET } from './fixed-zones.ts'
import { placeIndex } from './places.ts'
import { nameKey, type ZoneMatch } from './zone.ts'
import { findZoneName } from './zone-names.ts'

/** Longest text to look up as a zone, well above any real name. */
const LONGEST = 80
const FORMS = 'Write an IANA name (Asia/Tokyo), a city (Tokyo) or an offset (UTC+05:30).'
const MOST_SUGGESTIONS = 4

/**
 * Finds the zone that a text names: an IANA name, offset, abbreviation, city or country. Never throws.
 * @example
 * findZone('Moscow, Idaho')?.readings[0]?.id // 'America/Los_Angeles'
 */
export function findZone(text: string): ZoneMatch | undefined {
  if (text.length > LONGEST) return undefined
  const written = text.replace(/\s+/g, ' ').trim()
  // `local time in Tokyo`, `Tokyo time`.
  const bare = written
    .replace(/^(?:the )?(?:(?:local |current )?time )?(?:in |at )?(?:the )?(?:city of )?/i, '')
    .replace(/(?: local)? time(?: ?zone)?$| timezone$/i, '')
  return find(written) ?? find(bare)
}

function find(text: string): ZoneMatch | undefined {
  return findOffset(text) ?? findAbbreviation(text) ?? findZoneName(text) ?? findPlace(text)
}

/**
 * Returns the zone that a text names.
 * @throws {ToolError} with similar names when it names none; with the choices for a country of several zones
 */
export function readZone(text: string): ZoneMatch {
  const found = findZone(text)
  if (found?.choose !== undefined) throw new ToolError(found.choose)
  if (found) return found
  if (text.length > LONGEST)
    throw new ToolError(`A zone of ${text.length} characters is too long (at most ${LONGEST}). ${FORMS}`)
  if (text.trim() === '') throw new ToolError(`A zone is empty. ${FORMS}`)
  if (LIKE_OFFSET.test(text))
    throw new ToolError(`"${text}" is not an offset in use: offsets run from UTC-12:00 to UTC+14:00.`)
  throw new ToolError(`Unknown zone "${text}".${didYouMean(text)} ${FORMS}`)
}

/** ` Did you mean Tokyo?`: the known zones that the text misspells or abbreviates, nearest first; else empty. */
export function didYouMean(text: string): string {
  const key = nameKey(text)
  if (key.length < 2 || key.length > LONGEST) return ''
  const allowed = key.length <= 4 ? 1 : key.length <= 8 ? 2 : 3
  const near = [...placeIndex().names]
    .filter(([other]) => other.startsWith(key) || Math.abs(other.length - key.length) <= allowed)
    .map(([other, name]) => ({
      name,
      slips: other.startsWith(key) && key.length > 2 ? 0.9 : distance(key, other),
    }))
    .filter(({ slips }) => slips <= allowed)
    .sort((a, b) => a.slips - b.slips || (a.name < b.name ? -1 : 1))
  const names = [...new Set(near.map(({ name }) => name))].slice(0, MOST_SUGGESTIONS)
  return names.length > 0 ? ` Did you mean ${names.join(' or ')}?` : ''
}
