import { cityMapping } from 'city-timezones'
import { correctedCities, countryNames, namesakes, ownCities, provinceCodes } from './place-names.ts'
import { nameKey } from './zone.ts'
import { cityOf } from './zone-names.ts'

/** A city of the library; one of our own tables may have a zone alone, and the rest empty. */
export type City = Pick<
  (typeof cityMapping)[number],
  'city' | 'timezone' | 'pop' | 'iso2' | 'country' | 'province' | 'state_ansi'
>

/** A country, or a state or province of one. */
export interface Area {
  readonly name: string
  /** The code of the country. */
  readonly iso2: string
  readonly province?: string
  /** The largest first. */
  readonly cities: readonly City[]
}

/** People of a city in our own tables: it goes before all of the library's. Of the second and further of one name. */
const [OURS, NAMESAKE] = [1e9, 2e8]
/**
 * People of the smallest city whose name alone is enough: "Sidney" is a slip for Sydney, not the town in Nebraska, and
 * "same" is no town in Tanzania.
 */
const [KNOWN_IN_US, KNOWN] = [60_000, 15_000]
/** Countries whose states and provinces are known by name. */
const FEDERATIONS: ReadonlySet<string> = new Set(['US', 'CA', 'AU'])

/** The library's data and ours as one index. */
export class PlaceIndex {
  /** By key, the largest first. */
  readonly cities = new Map<string, City[]>()
  /** By key; a code such as `TX` begins with a comma. `Georgia` is a country and a state. */
  readonly areas = new Map<string, Area[]>()
  /** Names as people write them, by key. */
  readonly names = new Map<string, string>()
  /** What people call the clock of a zone: `Eastern`. */
  readonly clockNames = new Map<string, string>()

  constructor() {
    const zones = new Map(
      entries(correctedCities).flatMap(([list, zone]) => list.split(', ').map(city => [city, zone])),
    )
    const cities = cityMapping
      .map(city => (zones.has(city.city) ? { ...city, timezone: zones.get(city.city)! } : city))
      .filter(({ timezone }) => timezone)
      .sort((a, b) => b.pop - a.pop)
    for (const city of cities) this.#add(city.city, city)
    this.#addAreas(cities)
    for (const [list, zone] of entries(ownCities)) {
      for (const names of list.split(', ')) {
        const [city = '', ...others] = names.split(' = ')
        const known = zone ? ownCity(city, zone) : { ...this.cities.get(nameKey(city))![0]!, city, pop: OURS }
        for (const name of [city, ...others]) this.#add(name, known)
        if (zone && / Time$/.test(city)) this.clockNames.set(zone, city.replace(/ Time$/, ''))
      }
    }
    for (const line of namesakes.trim().split('\n')) this.#addNamesakes(line)
    // Cities that give a zone its name, but are in no table: `Glace Bay`.
    for (const zone of Intl.supportedValuesOf('timeZone').filter(id => id.includes('/'))) {
      const name = cityOf(zone)
      if (!this.cities.get(nameKey(name))?.some(isKnown)) this.#add(name, ownCity(name, zone))
    }
  }

  #addAreas(all: readonly City[]): void {
    const names = new Map(entries(countryNames).map(([list, code]) => [code, list.split(', ')]))
    const codes = new Map(entries(provinceCodes))
    for (const [iso2, cities] of [...Map.groupBy(all, city => city.iso2), ['AQ', []] as const]) {
      // Somaliland and Kosovo are both -99.
      if (!/^[A-Z]{2}$/.test(iso2)) continue
      const known = [...(names.get(iso2) ?? []), ...cities.slice(0, 1).map(({ country }) => country)]
      for (const key of new Set(known.map(nameKey))) push(this.areas, key, { name: known[0]!, iso2, cities })
      if (!FEDERATIONS.has(iso2)) continue
      for (const [province, towns] of Map.groupBy(cities, city => city.province)) {
        const area = { name: province, iso2, province, cities: towns }
        push(this.areas, nameKey(province), area)
        push(this.areas, `,${(towns[0]!.state_ansi ?? codes.get(province) ?? '').toLowerCase()}`, area)
      }
    }
  }

  /** `Name: place (Zone), place (Zone)` are all meant; after `Name =` the first is, and the others are noted. */
  #addNamesakes(line: string): void {
    const [, name = '', sign, list = ''] = /^([^:=]+?) ?([:=]) (.*)$/.exec(line) ?? []
    const places = [...list.matchAll(/([^()]+?) \(([^)]+)\)(?:, )?/g)]
    for (const [index, [, label = '', zone = '']] of places.toReversed().entries()) {
      const isMeant = sign === ':' || index === places.length - 1
      this.#add(name, { ...ownCity(label, zone), pop: isMeant ? OURS : NAMESAKE })
      if (!this.cities.has(nameKey(label))) this.#add(label, ownCity(label, zone))
    }
  }

  #add(name: string, city: City): void {
    const key = nameKey(name)
    push(this.cities, key, city, isOurs(city))
    this.names.set(key, name)
  }
}

/** `Toledo, Ohio`: with the state or the country. */
export function fullName({ city, iso2, province, country }: City): string {
  return iso2 ? `${city}, ${FEDERATIONS.has(iso2) ? province : country}` : city
}

/** Whether its name alone is enough. */
export function isKnown({ iso2, pop }: City): boolean {
  return pop >= (iso2 === 'US' ? KNOWN_IN_US : KNOWN)
}

/** Whether it stands in our own tables, and so goes before a country of its name. */
export function isOurs({ pop }: City): boolean {
  return pop >= NAMESAKE
}

/** A place of which no more than its zone is known. */
export function ownCity(city: string, timezone: string, pop = OURS): City {
  return { city, timezone, pop, iso2: '', country: '', province: '', state_ansi: '' }
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value, isFirst = false): void {
  const known = map.get(key)
  if (!known) map.set(key, [value])
  else known.splice(isFirst ? 0 : known.length, 0, value)
}

/** Reads `head: body` entries, as `[body, head]`; the head may be missing. */
function entries(table: string): [body: string, head: string | undefined][] {
  const parts = table.trim().split(/\n|; /)
  return parts.map(entry => entry.split(': ').toReversed() as [string, string | undefined])
}
