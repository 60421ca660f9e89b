import { cityMapping } from 'city-timezones'
import own from './places.json' with { type: 'json' }
import { nameKey } from './zone.ts'
import { cityOf } from './zone-names.ts'

/** A city of the library, or of our own tables, which may have only a zone and leave the rest empty. */
export type City = Pick<
  (typeof cityMapping)[number],
  'city' | 'timezone' | 'pop' | 'iso2' | 'country' | 'province' | 'state_ansi'
>

/** A country, or one of its states or provinces. */
export interface Area {
  readonly name: string
  /** The country's code. */
  readonly iso2: string
  readonly province?: string
  /** Largest first. */
  readonly cities: readonly City[]
}

/** Nominal populations, above every city in the library: of our own cities, and of the second and later namesakes. */
const [OURS, NAMESAKE] = [1e9, 2e8]
/**
 * Least population of a city known by name alone. "Sidney" is a misspelling of Sydney, not the town in Nebraska, and
 * "same" is not the town in Tanzania.
 */
const [KNOWN_IN_US, KNOWN] = [60_000, 15_000]
/** Countries whose states and provinces people refer to by name. */
const FEDERATIONS: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])

/**
 * An index of the library's cities and our own. `places.json` takes precedence: `cities` adds missing ones, by zone
 * with their names; `otherNames` adds names of known ones; `correctedCities` fixes their zones. Where
 * population would pick the wrong namesake, the file says whether to answer all of them, or the first and note the
 * others. Country names come from `Intl`, the library and the file.
 */
class PlaceIndex {
  /** By key, largest first. */
  readonly cities = new Map<string, City[]>()
  /** By key; codes such as `TX` start with a comma. `Georgia` is both a country and a state. */
  readonly areas = new Map<string, Area[]>()
  /** Names to suggest, as people write them, by key: of well-known cities, alternative ones too, and of zones. */
  readonly names = new Map<string, string>()

  constructor() {
    const zones = new Map(
      Object.entries(own.correctedCities).flatMap(([zone, list]) => list.map(city => [city, zone])),
    )
    const cities = cityMapping
      .map(city => (zones.has(city.city) ? { ...city, timezone: zones.get(city.city)! } : city))
      .filter(({ timezone }) => timezone)
      .sort((a, b) => b.pop - a.pop)
    for (const city of cities) this.#add(city.city, city)
    this.#addAreas(cities)
    this.#addNamesakes(own.eachIsMeant, OURS)
    this.#addNamesakes(own.firstIsMeant, NAMESAKE)
    for (const [zone, list] of Object.entries(own.cities)) {
      for (const names of list.map(all => all.split(', ')))
        for (const name of names) this.#add(name, ownCity(names[0]!, zone))
    }
    for (const [city, others] of Object.entries(own.otherNames)) {
      const known = { ...this.cities.get(nameKey(city))![0]!, city, pop: OURS }
      for (const name of [...others.split(', '), city]) this.#add(name, known)
    }
    for (const zone of Intl.supportedValuesOf('timeZone').filter(id => id.includes('/'))) {
      this.names.set(nameKey(zone), zone)
      // Cities that name a zone but appear in no table: `Glace Bay`.
      const name = cityOf(zone)
      if (!this.cities.get(nameKey(name))?.some(isKnown)) this.#add(name, ownCity(name, zone))
    }
    for (const cities of this.cities.values()) cities.sort((a, b) => b.pop - a.pop)
  }

  #addAreas(all: readonly City[]): void {
    const [long, short] = (['long', 'short'] as const).map(
      style => new Intl.DisplayNames('en', { type: 'region', style }),
    ) as [Intl.DisplayNames, Intl.DisplayNames]
    const names: Partial<Record<string, string>> = own.countries
    const codes = new Map(Object.entries(own.provinceCodes).map(([code, province]) => [province, code]))
    for (const [iso2, cities] of [...Map.groupBy(all, city => city.iso2), ['AQ', []] as const]) {
      // Somaliland and Kosovo both have the code -99.
      if (!/^[A-Z]{2}$/.test(iso2)) continue
      const name = short.of(iso2)!
      const others = [long.of(iso2)!, ...(names[iso2]?.split(', ') ?? []), cities[0]?.country ?? name]
      for (const key of new Set([name, ...others].map(nameKey))) push(this.areas, key, { name, iso2, cities })
      if (!FEDERATIONS.has(iso2)) continue
      for (const [province, towns] of Map.groupBy(cities, city => city.province)) {
        const area = { name: province, iso2, province, cities: towns }
        push(this.areas, nameKey(province), area)
        push(this.areas, `,${(towns[0]!.state_ansi ?? codes.get(province) ?? '').toLowerCase()}`, area)
      }
    }
  }

  /** @param people nominal population of every namesake except the first */
  #addNamesakes(list: Readonly<Record<string, Readonly<Record<string, string>>>>, people: number): void {
    for (const [name, places] of Object.entries(list)) {
      for (const [index, [label, zone]] of Object.entries(places).entries()) {
        this.#add(name, ownCity(label, zone, index === 0 ? OURS : people))
        if (!this.cities.has(nameKey(label))) this.#add(label, ownCity(label, zone))
      }
    }
  }

  #add(name: string, city: City): void {
    const key = nameKey(name)
    push(this.cities, key, city)
    if (isKnown(city)) this.names.set(key, name)
  }
}

let built: PlaceIndex | undefined

/** Built on the first question, which may never come. */
export function placeIndex(): PlaceIndex {
  built ??= new PlaceIndex()
  return built
}

/** `Toledo, Ohio`: with the state or the country. */
export function fullName({ city, iso2, province, country }: City): string {
  return iso2 ? `${city}, ${FEDERATIONS.has(iso2) ? province : country}` : city
}

/** Whether the name alone identifies the city. */
export function isKnown({ iso2, pop }: City): boolean {
  return pop >= (iso2 === 'US' ? KNOWN_IN_US : KNOWN)
}

/** Whether it comes from our own tables, and so takes precedence over a country of the same name. */
export function isOurs({ pop }: City): boolean {
  return pop >= NAMESAKE
}

/** A place of which only the zone is known. */
export function ownCity(city: string, timezone: string, pop = OURS): City {
  return { city, timezone, pop, iso2: '', country: '', province: '', state_ansi: '' }
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
