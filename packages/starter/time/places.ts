import { cityMapping } from 'city-timezones'
import own from './places.json' with { type: 'json' }

/** A place by the name of its main city, and its IANA zone. */
export interface Place {
  readonly label: string
  readonly timezone: string
  /** Says which of several places was taken. */
  readonly note?: string
}

/** A city of the library, or one of ours, of which only the zone is known. */
type City = Pick<(typeof cityMapping)[number], 'city' | 'timezone' | 'pop' | 'iso2' | 'country' | 'province'>

interface PlaceIndex {
  readonly cities: ReadonlyMap<string, readonly City[]>
  /** The cities of countries and states; of a state also by its code, as `code tx`. `Georgia` is both of these. */
  readonly areas: ReadonlyMap<string, readonly City[]>
}

/** Nominal population of our own cities, so that they take precedence. */
const OURS = 5_000_000
/** Least population of a city known by name alone: "same" is not the town in Tanzania. */
const [KNOWN_IN_US, KNOWN] = [60_000, 15_000]
/** Namesakes with less of the largest one's population are not worth a note. */
const NOTED = 0.05
/** Countries whose states and provinces people refer to by name. */
const FEDERATIONS: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])

let built: PlaceIndex | undefined

/**
 * Finds a city, state or country, or a city in one of them: `Tokyo`, `Japan`, `Portland, Maine, USA`. Several places
 * mean the largest city among them.
 */
export function findPlace(text: string): Place | undefined {
  // Built on the first question, which may never come.
  built ??= buildIndex()
  const { cities, areas } = built
  const key = nameKey(text)
  const namesakes = cities.get(key) ?? []
  const whole = [...(namesakes.some(isKnown) ? namesakes : []), ...(areas.get(key) ?? [])]
  if (whole.length > 0) return largest(text, whole)
  const [name = '', ...outer] = text.split(',').map(nameKey)
  if (outer.length === 0) return undefined
  // Codes are words too, so they count only after a city.
  const around = outer.map(part => [part, `code ${part}`].flatMap(one => areas.get(one) ?? []))
  const inside = cities.get(name)?.filter(city => around.every(area => liesIn(city, area))) ?? []
  return inside.length > 0 ? largest(text, inside) : undefined
}

function largest(text: string, cities: readonly City[]): Place {
  const [first, ...others] = cities.toSorted((a, b) => b.pop - a.pop)
  const { city, timezone, pop } = first!
  const isClear = others.every(other => other.timezone === timezone || other.pop < pop * NOTED)
  if (isClear) return { label: city, timezone }
  const label = fullName(first!)
  const note = `"${text}" is read as ${label} (${timezone}): to mean another, write its state, country or city.`
  return { label, timezone, note }
}

/** `Toledo, Ohio`: with the state or the country. */
function fullName({ city, iso2, province, country }: City): string {
  return iso2 ? `${city}, ${FEDERATIONS.has(iso2) ? province : country}` : city
}

function isKnown({ iso2, pop }: City): boolean {
  return pop >= (iso2 === 'US' ? KNOWN_IN_US : KNOWN)
}

function liesIn(city: City, area: readonly City[]): boolean {
  return city.iso2 ? area.includes(city) : area.some(({ timezone }) => timezone === city.timezone)
}

/** In `places.json`, `corrected` gives the library's cities another zone, and `added` has names that it lacks. */
function buildIndex(): PlaceIndex {
  const zones = new Map(byName(own.corrected))
  const known = cityMapping
    .map(city => ({ ...city, timezone: zones.get(city.city) ?? city.timezone }))
    .filter(({ timezone }) => timezone)
  const cities = new Map<string, City[]>()
  for (const city of known) push(cities, city.city, [city])
  for (const [name, zone] of byName(own.added)) push(cities, name, [ownCity(name, zone)])
  for (const timeZone of Intl.supportedValuesOf('timeZone')) {
    // Cities that name a zone but appear in no table: `Glace Bay`.
    const name = timeZone.slice(timeZone.lastIndexOf('/') + 1).replaceAll('_', ' ')
    if (cities.get(nameKey(name))?.some(isKnown)) continue
    // `Easter Island`, as English has it: `Easter` and `Christmas` alone are feasts.
    const time = new Date().toLocaleTimeString('en', { timeZone, timeZoneName: 'long' })
    const [whole = name] = new RegExp(`${name} Islands?\\b`).exec(time) ?? []
    push(cities, whole, [ownCity(whole, timeZone)])
  }
  return { cities, areas: areasOf(known) }
}

/** In `places.json`, `countries` has further names of them, `states` codes that the library lacks. */
function areasOf(known: readonly City[]): Map<string, City[]> {
  const areas = new Map<string, City[]>()
  const more: Readonly<Record<string, string>> = own.countries
  const codes = new Map(
    own.states.split(', ').map(written => [written.replace(/^\w+ /, ''), written.split(' ')[0]]),
  )
  const regions = new Intl.DisplayNames('en', { type: 'region', style: 'short' })
  for (const [iso2, cities] of Map.groupBy(known, city => city.iso2)) {
    // Somaliland and Kosovo both have the code -99.
    if (!/^[A-Z]{2}$/.test(iso2)) continue
    const names = [regions.of(iso2)!, cities[0]!.country, ...(more[iso2]?.split(', ') ?? [])]
    for (const name of new Set(names.map(nameKey))) push(areas, name, cities)
    if (!FEDERATIONS.has(iso2)) continue
    for (const [state, towns] of Map.groupBy(cities, city => city.province)) {
      const { state_ansi: code = codes.get(state) } = towns[0] as { state_ansi?: string }
      push(areas, state, towns)
      if (code) push(areas, `code ${code}`, towns)
    }
  }
  return areas
}

function ownCity(city: string, timezone: string): City {
  return { city, timezone, pop: OURS, iso2: '', country: '', province: '' }
}

/** Names and zones, of lists of names by zone. */
function byName(lists: Readonly<Record<string, string>>): (readonly [name: string, zone: string])[] {
  return Object.entries(lists).flatMap(([zone, names]) =>
    names.split(', ').map(name => [name, zone] as const),
  )
}

function push(map: Map<string, City[]>, name: string, cities: readonly City[]): void {
  const key = nameKey(name)
  map.set(key, [...(map.get(key) ?? []), ...cities])
}

const PLAIN: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd', ı: 'i', ß: 'ss' }

/** The lookup key of a name: no case, accents or punctuation, `Saint` written `st`. */
function nameKey(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[øłđıß]/g, letter => PLAIN[letter]!)
    .replace(/[\u0300-\u036f'’‘ʻ`.]/g, '')
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .replace(/\bsaint\b/g, 'st')
    .trim()
}
