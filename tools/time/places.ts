import { cityMapping } from 'city-timezones'
import { correctedCities, countryNames, namesakes, ownCities, provinceCodes } from './place-names.ts'
import { nameKey } from './zone.ts'
import { cityOf } from './zone-names.ts'

/** A city of the library or of our own tables. */
export interface City {
  readonly name: string
  /** `Toledo, Ohio`: with the state or the country. */
  readonly fullName: string
  readonly zone: string
  readonly people: number
  readonly country?: string
}

/** A country, or a state or province of one. */
export interface Area {
  readonly name: string
  /** Its code, if it is a country. */
  readonly country?: string
  /** The largest first. */
  readonly cities: readonly City[]
}

/** People of a city in our own tables: it goes before all of the library's. Of the second and further of one name. */
const [OURS, NAMESAKE] = [1e9, 2e8]
/** Smaller towns of the United States need their state: "Sidney" is a slip for Sydney, not the town in Nebraska. */
const KNOWN_TOWN = 60_000
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
    const cities = readLibrary()
    for (const city of cities) this.#add(city.name, city)
    this.#addAreas(cities)
    for (const [list, zone] of entries(ownCities)) {
      for (const names of list.split(', ')) {
        const [name = '', ...others] = names.split(' = ')
        const known = zone ? { fullName: name, zone } : this.cities.get(nameKey(name))![0]!
        for (const other of [name, ...others]) this.#add(other, { ...known, name, people: OURS })
        if (zone && / Time$/.test(name)) this.clockNames.set(zone, name.replace(/ Time$/, ''))
      }
    }
    for (const line of namesakes.trim().split('\n')) this.#addNamesakes(line)
    // Cities that give a zone its name, but are in no table: `Glace Bay`.
    for (const zone of Intl.supportedValuesOf('timeZone').filter(id => id.includes('/'))) {
      const name = cityOf(zone)
      if (!this.cities.get(nameKey(name))?.some(isKnown))
        this.#add(name, { name, fullName: name, zone, people: OURS })
    }
  }

  #addAreas(cities: readonly LibraryCity[]): void {
    const names = new Map(entries(countryNames).map(([list, code]) => [code, list.split(', ')]))
    const codes = new Map(entries(provinceCodes))
    for (const [country, inside] of [...Map.groupBy(cities, city => city.country), ['AQ', []] as const]) {
      // Somaliland and Kosovo are both -99.
      if (!/^[A-Z]{2}$/.test(country)) continue
      const known = [...(names.get(country) ?? []), ...(inside[0] ? [inside[0].around] : [])]
      const area = { name: known[0]!, country, cities: inside }
      for (const key of new Set(known.map(nameKey))) push(this.areas, key, area)
      if (!FEDERATIONS.has(country)) continue
      for (const [state, towns] of Map.groupBy(inside, ({ province }) => province)) {
        push(this.areas, nameKey(state), { name: state, cities: towns })
        const code = towns[0]!.code ?? codes.get(state)
        if (code) push(this.areas, `,${code.toLowerCase()}`, { name: state, cities: towns })
      }
    }
  }

  /** `Name: place (Zone), place (Zone)` are all meant; after `Name =` the first is, and the others are noted. */
  #addNamesakes(line: string): void {
    const [, name = '', sign, list = ''] = /^([^:=]+?) ?([:=]) (.*)$/.exec(line) ?? []
    const places = [...list.matchAll(/([^()]+?) \(([^)]+)\)(?:, )?/g)]
    for (const [index, [, label = '', zone = '']] of places.toReversed().entries()) {
      const people = sign === ':' || index === places.length - 1 ? OURS : NAMESAKE
      const place = { name: label, fullName: label, zone, people }
      this.#add(name, place)
      if (!this.cities.has(nameKey(label))) this.#add(label, place)
    }
  }

  #add(name: string, city: City): void {
    const key = nameKey(name)
    push(this.cities, key, city, isOurs(city))
    this.names.set(key, name)
  }
}

type LibraryCity = ReturnType<typeof readLibrary>[number]

function readLibrary() {
  const corrected = new Map(
    entries(correctedCities).flatMap(([list, zone]) => list.split(', ').map(name => [name, zone])),
  )
  return cityMapping
    .map(
      ({ city: name, pop: people, iso2: country, province, country: around, state_ansi: code, timezone }) => {
        const fullName = `${name}, ${FEDERATIONS.has(country) ? province : around}`
        return {
          name,
          fullName,
          zone: corrected.get(name) ?? timezone,
          people,
          country,
          province,
          around,
          code,
        }
      },
    )
    .filter(({ zone }) => zone)
    .sort((a, b) => b.people - a.people)
}

/** Whether its name alone is enough. */
export function isKnown({ country, people }: City): boolean {
  return country !== 'US' || people >= KNOWN_TOWN
}

/** Whether it stands in our own tables, and so goes before a country of its name. */
export function isOurs({ people }: City): boolean {
  return people >= NAMESAKE
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value, isFirst = false): void {
  const known = map.get(key)
  if (!known) map.set(key, [value])
  else if (isFirst) known.unshift(value)
  else known.push(value)
}

/** Reads `head: body` entries, as `[body, head]`; the head may be missing. */
function entries(table: string): [body: string, head: string | undefined][] {
  return table
    .trim()
    .split(/\n|; /)
    .map(entry => entry.split(': ').toReversed() as [string, string | undefined])
}
