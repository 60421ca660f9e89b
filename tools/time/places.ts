import { cityMapping } from 'city-timezones'
import {
  correctedCities,
  countryNames,
  furtherCities,
  namesakes,
  otherNames,
  provinceCodes,
} from './place-names.ts'
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
    this.#addLibrary()
    for (const names of split(otherNames, /, |\n/)) {
      const [name = '', ...others] = names.split(' = ')
      const known = this.cities.get(nameKey(name))![0]!
      for (const other of [name, ...others]) this.#add(other, { ...known, name, people: OURS })
    }
    for (const [zone, list] of pairs(furtherCities)) {
      for (const names of list.split(', ')) {
        const [name = '', ...others] = names.split(' = ')
        if (/ Time$/.test(name)) this.clockNames.set(zone, name.replace(/ Time$/, ''))
        for (const other of [name, ...others]) this.#add(other, { name, fullName: name, zone, people: OURS })
      }
    }
    for (const line of split(namesakes, /\n/)) this.#addNamesakes(line)
    // Cities that give a zone its name, but are in no table: `Glace Bay`.
    for (const zone of Intl.supportedValuesOf('timeZone').filter(id => id.includes('/'))) {
      const name = cityOf(zone)
      const isNew = !this.cities.get(nameKey(name))?.some(isKnown)
      if (isNew) this.#add(name, { name, fullName: name, zone, people: OURS })
    }
  }

  #addLibrary(): void {
    const regions = new Intl.DisplayNames('en', { type: 'region' })
    const ours = new Map(pairs(countryNames))
    const codes = new Map(
      provinceCodes.split(', ').map(entry => [entry.replace(/^\S+ /, ''), entry.split(' ')[0]]),
    )
    const corrected = new Map(
      pairs(correctedCities).flatMap(([zone, list]) => list.split(', ').map(city => [city, zone])),
    )
    const cities = cityMapping.map(city => {
      const { city: name, pop: people, iso2: country, province, country: around } = city
      const zone = corrected.get(name) ?? city.timezone
      const fullName = `${name}, ${FEDERATIONS.has(country) ? province : around}`
      return { name, fullName, zone, people, country, province, around, code: city.state_ansi }
    })
    cities.sort((a, b) => b.people - a.people)
    for (const city of cities) if (city.zone) this.#add(city.name, city)
    for (const [country, inside] of Map.groupBy(cities, city => city.country)) {
      // Somaliland and Kosovo are both -99.
      if (!/^[A-Z]{2}$/.test(country)) continue
      const name = regions.of(country)!
      const names = [name, ...(ours.get(country)?.split(', ') ?? []), inside[0]!.around]
      this.#addArea(names, { name, country, cities: inside.filter(({ zone }) => zone) })
    }
    for (const inside of Map.groupBy(cities, ({ country, province }) => `${country} ${province}`).values()) {
      const { country, province: name, code = codes.get(name) } = inside[0]!
      const names = FEDERATIONS.has(country)
        ? [name, `${name} State`, `${name} Province`, `,${code}`]
        : [`,${name}`]
      this.#addArea(names, { name, cities: inside.filter(({ zone }) => zone) })
    }
  }

  #addArea(names: readonly string[], area: Area): void {
    for (const key of new Set(
      names.map(name => (name.startsWith(',') ? `,${nameKey(name)}` : nameKey(name))),
    )) {
      const known = this.areas.get(key) ?? []
      // A country's own name goes before that of a state, and of its islands, which the library gives its name too.
      const isFirst = area.country && key === nameKey(area.name)
      this.areas.set(key, isFirst ? [area, ...known] : [...known, area])
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
    const known = this.cities.get(key) ?? []
    this.cities.set(key, city.people >= NAMESAKE ? [city, ...known] : [...known, city])
    this.names.set(key, name)
  }
}

/** Whether its name alone is enough. */
export function isKnown({ country, people }: City): boolean {
  return country !== 'US' || people >= KNOWN_TOWN
}

/** Whether it stands in our own tables, and so goes before a country of its name. */
export function isOurs({ people }: City): boolean {
  return people >= NAMESAKE
}

function split(table: string, mark: RegExp): string[] {
  return table.trim().split(mark)
}

function pairs(table: string): [string, string][] {
  return split(table, /\n|; /).map(entry => entry.split(': ') as [string, string])
}
