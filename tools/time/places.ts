import { cityMapping } from 'city-timezones'
import own from './places.json' with { type: 'json' }
import { nameKey } from './zone.ts'

/** A city of the library, or one of ours, of which only the zone is known. */
export type City = Pick<
  (typeof cityMapping)[number],
  'city' | 'timezone' | 'pop' | 'iso2' | 'country' | 'province'
>

/** A country, or one of its states: its cities, largest first. */
export interface Area {
  readonly name: string
  readonly cities: readonly City[]
}

/** Nominal population of our own cities. */
const OURS = 500_000
/** Least population of a city known by name alone: "same" is not the town in Tanzania. */
const [KNOWN_IN_US, KNOWN] = [60_000, 15_000]
/** Countries whose states and provinces people refer to by name. */
const FEDERATIONS: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])

interface PlaceIndex {
  /** By key, largest first. */
  readonly cities: ReadonlyMap<string, readonly City[]>
  /** By key; a state also by its code, as `code tx`. `Georgia` is both a country and a state. */
  readonly areas: ReadonlyMap<string, readonly Area[]>
}

let built: PlaceIndex | undefined

/** Built on the first question, which may never come. */
export function placeIndex(): PlaceIndex {
  built ??= buildIndex()
  return built
}

/**
 * The library's cities and our own. In `places.json`, `corrected` gives the library's cities another zone, `added` has
 * cities that it lacks, `otherNames` names that it does not know, `countries` further names of them, `states` codes.
 */
function buildIndex(): PlaceIndex {
  const zones = new Map(byName(own.corrected))
  const known = cityMapping
    .map(city => ({ ...city, timezone: zones.get(city.city) ?? city.timezone }))
    .filter(({ timezone }) => timezone)
    .sort((a, b) => b.pop - a.pop)
  const cities = new Map<string, City[]>()
  for (const city of known) push(cities, city.city, city)
  for (const [name, zone] of byName(own.added)) push(cities, name, ownCity(name, zone))
  for (const [city, names] of Object.entries(own.otherNames))
    for (const name of names.split(', ')) push(cities, name, cities.get(nameKey(city))![0]!)
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    // Cities that name a zone but appear in no table: `Glace Bay`.
    const name = zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
    if (!cities.get(nameKey(name))?.some(isKnown)) push(cities, name, ownCity(name, zone))
  }
  for (const namesakes of cities.values()) namesakes.sort((a, b) => b.pop - a.pop)
  return { cities, areas: areasOf(known) }
}

function areasOf(all: readonly City[]): Map<string, Area[]> {
  const areas = new Map<string, Area[]>()
  const more: Readonly<Record<string, string>> = own.countries
  const codes: Readonly<Record<string, string>> = own.states
  const regions = (['short', 'long'] as const).map(
    style => new Intl.DisplayNames('en', { type: 'region', style }),
  )
  for (const [iso2, cities] of Map.groupBy(all, city => city.iso2)) {
    // Somaliland and Kosovo both have the code -99.
    if (!/^[A-Z]{2}$/.test(iso2)) continue
    const [name = '', long = ''] = regions.map(region => region.of(iso2))
    const names = [name, long, cities[0]!.country, ...(more[iso2]?.split(', ') ?? [])]
    for (const one of new Set(names.map(nameKey))) push(areas, one, { name, cities })
    if (!FEDERATIONS.has(iso2)) continue
    for (const [state, towns] of Map.groupBy(cities, city => city.province)) {
      const { state_ansi: code = codes[state] } = towns[0] as { state_ansi?: string }
      for (const one of code ? [state, `code ${code}`] : [state])
        push(areas, one, { name: state, cities: towns })
    }
  }
  return areas
}

/** `Toledo, Ohio`: with the state or the country. */
export function fullName({ city, iso2, province, country }: City): string {
  return iso2 ? `${city}, ${FEDERATIONS.has(iso2) ? province : country}` : city
}

/** Whether the name alone identifies the city. */
export function isKnown({ iso2, pop }: City): boolean {
  return pop >= (iso2 === 'US' ? KNOWN_IN_US : KNOWN)
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

function push<Value>(map: Map<string, Value[]>, name: string, value: Value): void {
  const key = nameKey(name)
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
