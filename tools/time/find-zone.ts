import { findAbbreviation } from './abbreviations.ts'
import { findOffset } from './offsets.ts'
import { type Area, type City, isKnown, isOurs, PlaceIndex } from './places.ts'
import { nameKey, type Zone, type ZoneMatch } from './zone.ts'
import { cityOf, clockKey, findZoneName, intlName, presentName } from './zone-names.ts'

/** Longest text that is looked up as a zone; no name comes near it. */
export const LONGEST_ZONE = 80
/** A city of the same name is meant too from half the people of the largest, and worth a note from a tenth. */
const [RIVAL, NOTED] = [0.5, 0.1]
/** A clock that fewer of an area's people keep is that of an outlying part. */
const OUTLYING = 0.06

let built: PlaceIndex | undefined

/** Built at the first question, which may never come. */
function index(): PlaceIndex {
  built ??= new PlaceIndex()
  return built
}

/** Says what zone a text names: an IANA name, an offset, an abbreviation, a city or a country. Never throws. */
export function findZone(text: string): ZoneMatch | undefined {
  if (text.length > LONGEST_ZONE) return undefined
  const written = text.replace(/\s+/g, ' ').trim()
  // `local time in Tokyo`, `Tokyo time`.
  const bare = written
    .replace(/^(?:the )?(?:(?:local |current )?time )?(?:in |at )?(?:the )?(?:city of )?/i, '')
    .replace(/(?: local)? time(?: ?zone)?$| timezone$/i, '')
  return find(written) ?? find(bare)
}

/** Names of known cities, with their other names, as a person writes them. */
export function cityNames(): readonly string[] {
  const { names, cities } = index()
  return [...names].filter(([key]) => cities.get(key)!.some(isKnown)).map(([, name]) => name)
}

function find(text: string): ZoneMatch | undefined {
  return findOffset(text) ?? findAbbreviation(text) ?? findZoneName(text) ?? findPlace(text)
}

function findPlace(text: string): ZoneMatch | undefined {
  const whole = findNamed(text) ?? findNamed(text.replace(/ city$/i, '')) ?? findNamed(`${text} City`)
  if (whole) return whole
  const [city = '', ...areas] = text.split(',')
  if (areas.length > 0) {
    return areas.map(area => findInside(city, area)).find(found => found) ?? findAround(city, areas.at(-1)!)
  }
  const words = text.split(' ')
  for (let cut = words.length - 1; cut > 0 && words.length <= 8; cut -= 1) {
    const found = findInside(words.slice(0, cut).join(' '), words.slice(cut).join(' '))
    if (found) return found
  }
  return undefined
}

function findNamed(text: string): ZoneMatch | undefined {
  const known = index().cities.get(nameKey(text))?.filter(isKnown) ?? []
  const [area] = index().areas.get(nameKey(text)) ?? []
  return known[0] && (isOurs(known[0]) || !area) ? ofCities(text, known) : area && ofArea(text, area)
}

/** The largest city of a name; those that come near it and keep another clock are answered or noted too. */
function ofCities(name: string, [first, ...rest]: readonly City[]): ZoneMatch {
  const { people, zone } = first!
  const others = rest.filter(
    other => other.people > people * NOTED && clockKey(other.zone) !== clockKey(zone),
  )
  const all = [first!, ...others].map(city => zoneOf(city, others.length > 0 ? city.fullName : city.name))
  if (others.length === 0) return { kind: 'city', readings: all, notes: [] }
  if (others.some(other => other.people > people * RIVAL)) {
    const note = `"${name}" may be ${all.map(({ label }) => label).join(' or ')}; each is answered.`
    return { kind: 'city', readings: all, notes: [note] }
  }
  const [best, ...less] = all
  const note = `"${name}" is read as ${best!.label}; ${less.map(({ label, id }) => `${label} is ${id}`).join('; ')}.`
  return { kind: 'city', readings: [best!], notes: [note] }
}

/** A country or province by its name; or, where `isInside`, a place in it that is in no table. */
function ofArea(text: string, area: Area, isInside = false): ZoneMatch {
  const { name, country } = area
  const cities = citiesOf(area)
  const people = cities.reduce((sum, city) => sum + city.people, 0)
  const clocks = [...Map.groupBy(cities, ({ zone }) => clockKey(zone)).values()]
    .map(list => ({ city: list[0]!, share: list.reduce((sum, city) => sum + city.people, 0) / people }))
    .sort((a, b) => b.share - a.share)
  const main = clocks.filter(({ share }, place) => place === 0 || share >= OUTLYING)
  if (country && main.length > 1) {
    const readings = clocks.map(({ city }) => zoneOf(city, index().clockNames.get(city.zone)))
    const choices = readings.map(({ label, id }) => `${label} (${id})`).join(', ')
    const choose = `"${text}" has several time zones: ${choices}. Name one of them, or a city.`
    return { kind: 'country', readings, notes: [], choose }
  }
  const meant = isInside ? main.length : 1
  const readings = clocks.slice(0, meant).map(({ city }) => zoneOf(city, name))
  const rest = clocks.slice(meant).map(({ city }) => `${city.name} (${city.zone})`)
  const which = meant === 1 ? `this is the clock of ${name}.` : `each clock of ${name} is given.`
  const notes = isInside ? [`"${text}" is not in the table of cities: ${which}`] : []
  if (rest.length > 0) notes.push(`Parts of ${name} keep another clock: ${rest.join(', ')}.`)
  return { kind: 'country', readings, notes }
}

/** Reads `Austin, Texas`: a city that lies in the area named after it. */
function findInside(name: string, around: string): ZoneMatch | undefined {
  const named = index().cities.get(nameKey(name)) ?? []
  for (const area of areasOf(around)) {
    const cities = citiesOf(area)
    // What stands in our tables under this very name corrects the library.
    const ours = named.find(city => isOurs(city) && city.name === city.fullName && !/,/.test(city.name))
    const isThere = ours && cities.some(({ zone }) => zone === ours.zone)
    const city = isThere ? ours : named.find(one => cities.includes(one))
    if (city)
      return {
        kind: 'city',
        readings: [zoneOf(city, named.length > 1 ? city.fullName : city.name)],
        notes: [],
      }
  }
  return undefined
}

/** A city that is in no table, in an area that is. */
function findAround(name: string, around: string): ZoneMatch | undefined {
  const [area] = areasOf(around)
  return area && nameKey(name) !== '' ? ofArea(`${name.trim()}, ${around.trim()}`, area, true) : undefined
}

/** With a place for each zone of a country that the library has no city in. */
function citiesOf({ country, cities }: Area): readonly City[] {
  if (!country) return cities
  const locale = new Intl.Locale('und', { region: country }) as Intl.Locale & { getTimeZones?(): string[] }
  const kept = new Set(cities.map(({ zone }) => zone))
  const further =
    locale
      .getTimeZones?.()
      .map(presentName)
      .filter(zone => !kept.has(zone)) ?? []
  return [
    ...cities,
    ...further.map(zone => ({ name: cityOf(zone), fullName: cityOf(zone), zone, people: 1 })),
  ]
}

/** A country or province by its name, or by a code such as `TX`, which counts only after a city. */
function areasOf(text: string): readonly Area[] {
  const { areas } = index()
  return [...(areas.get(nameKey(text)) ?? []), ...(areas.get(`,${nameKey(text)}`) ?? [])]
}

function zoneOf({ name, zone }: City, label = name): Zone {
  const id = presentName(intlName(zone) ?? zone)
  return { id, label, detail: id }
}
