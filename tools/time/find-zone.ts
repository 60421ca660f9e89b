import { abbreviations } from './abbreviations.ts'
import { findOffset } from './offsets.ts'
import { type Place, placeIndex } from './places.ts'
import { nameKey, type Zone, type ZoneMatch } from './zone.ts'
import { findZoneName } from './zone-names.ts'

/** Longest text that is looked up as a zone; no name comes near it. */
export const LONGEST_ZONE = 80

/** Says what zone a text names: an IANA name, an offset, an abbreviation, a city or a country. Never throws. */
export function findZone(text: string): ZoneMatch | undefined {
  if (text.length > LONGEST_ZONE) return undefined
  const written = text.replace(/\s+/g, ' ').trim()
  if (written === '') return undefined
  return find(written) ?? find(withoutFrame(written))
}

/** Names of known cities, with their other names, as a person writes them. */
export function cityNames(): readonly string[] {
  return placeIndex().cities
}

/** Drops what people put around a name: `local time in Tokyo`, `Tokyo time`. */
function withoutFrame(text: string): string {
  return text
    .replace(/^(?:the )?(?:(?:local |current )?time )?(?:in |at )?(?:the )?(?:city of )?/i, '')
    .replace(/(?: local)? time(?: ?zone)?$| timezone$/i, '')
}

function find(text: string): ZoneMatch | undefined {
  return findOffset(text) ?? findAbbreviation(text) ?? findZoneName(text) ?? findPlace(text)
}

function findAbbreviation(text: string): ZoneMatch | undefined {
  const found = abbreviations.get(text.toLowerCase())
  if (!found) return undefined
  const { readings, lesser } = found
  const label = readings[0]?.label
  const notes: string[] = []
  const rest = lesser.map(named).join(', ')
  if (readings.length > 1) {
    const all = readings.map(named).join(', ')
    const more = rest === '' ? '' : ` It may even mean ${rest}.`
    notes.push(`"${label}" is ambiguous: ${all}; each reading is given. Name a city to choose one.${more}`)
  } else if (rest !== '') {
    notes.push(`"${label}" is read as ${readings[0]?.detail}; it may also mean ${rest}.`)
  }
  return { kind: 'abbreviation', readings, notes }
}

function named({ id, detail }: Zone): string {
  return `${detail} (UTC${id})`
}

function findPlace(text: string): ZoneMatch | undefined {
  const whole = placeIndex().places.get(nameKey(text))
  if (whole) return answer(text, whole)
  const [city = '', ...regions] = text.split(',')
  if (regions.length > 0) {
    const inside = regions.map(region => findQualified(city, region, false)).find(found => found)
    return inside ?? findQualified(city, regions.at(-1)!, true)
  }
  const words = text.split(' ')
  for (let cut = words.length - 1; cut > 0 && words.length <= 8; cut -= 1) {
    const found = findQualified(words.slice(0, cut).join(' '), words.slice(cut).join(' '), false)
    if (found) return found
  }
  return undefined
}

function answer(text: string, { kind, readings, others, notes }: Place): ZoneMatch {
  if (readings.length > 0) return { kind, readings, notes }
  const choices = others.map(({ label, id }) => `${label} (${id})`).join(', ')
  const choose = `"${text}" has several time zones: ${choices}. Name one of them, or a city.`
  return { kind, readings: others, notes, choose }
}

/**
 * Reads `Austin, Texas`: the city must lie in the region named after it. A city that does not (`Paris, Texas`)
 * is answered with the region's clock, and only where a comma shows that a region was meant.
 */
function findQualified(city: string, region: string, comma: boolean): ZoneMatch | undefined {
  const { places, codes } = placeIndex()
  const key = nameKey(region)
  const around = codes.get(key) ?? places.get(key)
  if (!around) return undefined
  const found = places.get(nameKey(city))
  const candidates: Zone[] = found ? [...found.readings, ...found.others] : []
  const inside = candidates.find(({ id }) => around.inside.has(id))
  if (inside && found?.kind === 'city') return { kind: 'city', readings: [inside], notes: [] }
  if (!comma || nameKey(city) === '') return undefined
  const name = `${city.trim()}, ${region.trim()}`
  if (around.readings.length !== 1) {
    const { choose } = answer(name, around)
    return choose ? { kind: 'country', readings: around.others, notes: [], choose } : undefined
  }
  const label = around.readings[0]!.label
  const notes = [`"${name}" is not in the table of cities: this is the clock of ${label}.`, ...around.notes]
  return { kind: 'country', readings: around.readings, notes }
}
