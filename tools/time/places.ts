import { africa } from './cities-africa.ts'
import { america } from './cities-america.ts'
import { asia } from './cities-asia.ts'
import { europe } from './cities-europe.ts'
import { oceania } from './cities-oceania.ts'
import { commonNames } from './common-names.ts'
import { otherCountries } from './countries-elsewhere.ts'
import { eurasianCountries } from './countries-eurasia.ts'
import { divided, furtherZones, outliers } from './divided-countries.ts'
import { namesakes } from './namesakes.ts'
import { regions } from './regions.ts'
import { lines, listed, rows, zone } from './table.ts'
import { nameKey, type Zone } from './zone.ts'
import { cityOf, zoneNames } from './zone-names.ts'

/** A city, country or region. */
export interface Place {
  kind: 'city' | 'country'
  /** What to answer; empty when a choice must be made first. */
  readings: Zone[]
  /** Places of the same name, and outlying parts, that are worth a note or a choice. */
  others: Zone[]
  /** Zones that lie inside, so that `Austin, Texas` can be told from `Paris, Texas`. */
  inside: Set<string>
  notes: string[]
}

/** The tables as one index. Built at the first question, because a service may never be asked. */
class PlaceIndex {
  readonly places = new Map<string, Place>()
  /** City names as written in the tables, other names included. */
  readonly cities: string[] = []
  /** Codes that count only after a city: `TX`. */
  readonly codes = new Map<string, Place>()

  constructor() {
    for (const table of [europe, asia, africa, america, oceania]) this.addCities(table)
    this.addNamesakes()
    this.addCountries(eurasianCountries + otherCountries)
    this.addCountries(commonNames)
    this.addRegions()
    this.addDivided()
    this.addZoneCities()
  }

  private addCities(table: string): void {
    for (const [id, list] of rows(table)) {
      for (const city of list.split(', ')) {
        const names = city.split(' = ')
        this.cities.push(...names)
        this.add(names, place('city', [zone(names[0]!, id)]))
      }
    }
  }

  private addNamesakes(): void {
    for (const line of lines(namesakes)) {
      const [, name = '', sign, list = ''] = /^([^:=]+?) ?([:=]) (.*)$/.exec(line) ?? []
      const zones = listed(list)
      const found = place('city', sign === '=' ? zones.slice(0, 1) : zones)
      if (sign === '=') {
        found.others = zones.slice(1)
        const others = found.others.map(other => `${other.label} is ${other.id}`).join('; ')
        found.notes = [`"${name}" is read as ${zones[0]?.label}; ${others}.`]
      } else {
        found.notes = [`"${name}" may be ${zones.map(({ label }) => label).join(' or ')}; each is answered.`]
      }
      this.cities.push(name)
      this.places.set(nameKey(name), found)
    }
  }

  private addCountries(table: string): void {
    const parts = new Map([...rows(outliers)].map(([name, list]) => [name, listed(list)]))
    const further = new Map(rows(furtherZones))
    for (const [id, list] of rows(table)) {
      for (const country of list.split(', ')) {
        const names = country.split(' = ')
        const found = place('country', [zone(names[0]!, id)])
        found.others = parts.get(names[0]!) ?? []
        for (const inside of further.get(names[0]!)?.split(' ') ?? []) found.inside.add(inside)
        for (const other of found.others) {
          found.inside.add(other.id)
          found.notes.push(`${other.label} keeps another clock: ${other.id}.`)
        }
        this.add(names, found)
      }
    }
  }

  private addRegions(): void {
    for (const [head, list] of rows(regions)) {
      const [name = '', code] = head.split(', ')
      const zones = list.split(', ')
      const found = place('country', [zone(name, zones[0]!)])
      found.inside = new Set(zones)
      if (zones.length > 1)
        found.notes = [`Parts of ${name} keep another clock: ${zones.slice(1).join(', ')}.`]
      this.add([name], found)
      if (code) this.codes.set(code.toLowerCase(), found)
    }
    this.codes.set('ga', this.places.get('georgia')!)
  }

  private addDivided(): void {
    const further = new Map(rows(furtherZones))
    for (const [head, list] of rows(divided)) {
      const names = head.split(' = ')
      const found = place('country', [])
      found.others = listed(list)
      found.inside = new Set([
        ...found.others.map(({ id }) => id),
        ...(further.get(names[0]!)?.split(' ') ?? []),
      ])
      this.add(names, found)
    }
  }

  /** Cities that give a zone its name but are in no table, as `Glace Bay`. */
  private addZoneCities(): void {
    for (const id of zoneNames()) {
      const city = cityOf(id)
      if (this.places.has(nameKey(city))) continue
      this.cities.push(city)
      this.add([city], place('city', [zone(city, id)]))
    }
  }

  /** The first to claim a name keeps it, except that a name shared by many has its own table. */
  private add(names: string[], found: Place): void {
    for (const name of names) if (!this.places.has(nameKey(name))) this.places.set(nameKey(name), found)
  }
}

let index: PlaceIndex | undefined

/** The index of all places. */
export function placeIndex(): PlaceIndex {
  index ??= new PlaceIndex()
  return index
}

function place(kind: Place['kind'], readings: Zone[]): Place {
  return { kind, readings, others: [], inside: new Set(readings.map(({ id }) => id)), notes: [] }
}
