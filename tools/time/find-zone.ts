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
  const whole =
    findNamed(text) ?? findNamed(text.replace(/ (?:city|state|province)$/i, '')) ?? findNamed(`${text} City`)
  if (whole) return whole
  const [city = '', ...areas] = text.split(',')
  if (areas.length > 0) {
    const inside = areas.map(area => findInside(city, area)).find(found => found)
    const [around] = inside || nameKey(city) === '' ? [] : areasOf(areas.at(-1)!)
    return inside ?? (around && ofArea(text, around, true))
  }
  const words = text.split(' ').slice(0, 9)
  const cuts = words
    .slice(1, 8)
    .map((_, cut) => findInside(words.slice(0, cut + 1).join(' '), words.slice(cut + 1).join(' ')))
  return cuts.findLast(found => found)
}

function findNamed(text: string): ZoneMatch | undefined {
  const known = index().cities.get(nameKey(text))?.filter(isKnown) ?? []
  const [area] = index().areas.get(nameKey(text)) ?? []
  return known[0] && (isOurs(known[0]) || !area) ? ofCities(text, known) : area && ofArea(text, area)
}

/** Reads `Austin, Texas`: a city that lies in the area named after it. Our own have only their zone to show it. */
function findInside(name: string, around: string): ZoneMatch | undefined {
  const named = index().cities.get(nameKey(name)) ?? []
  for (const cities of areasOf(around).map(citiesOf)) {
    const city = named.find(({ name, fullName, zone }) => {
      return cities.some(
        one => one.fullName === fullName || (name === fullName && !/,/.test(name) && one.zone === zone),
      )
    })
    if (city) return match('city', [zoneOf(city, named.length > 1 ? city.fullName : city.name)])
  }
  return undefined
}

/** The largest city of a name; those that come near it and keep another clock are answered or noted too. */
function ofCities(text: string, [first, ...rest]: readonly City[]): ZoneMatch {
  const { people, zone } = first!
  const others = rest.filter(city => city.people > people * NOTED && clockKey(city.zone) !== clockKey(zone))
  if (others.length === 0) return match('city', [zoneOf(first!)])
  const [best, ...less] = [first!, ...others].map(city => zoneOf(city, city.fullName)) as [Zone, ...Zone[]]
  if (others.some(city => city.people > people * RIVAL)) {
    const all = [best, ...less].map(({ label }) => label).join(' or ')
    return match('city', [best, ...less], `"${text}" may be ${all}; each is answered.`)
  }
  const named = less.map(({ label, id }) => `${label} is ${id}`).join('; ')
  return match('city', [best], `"${text}" is read as ${best.label}; ${named}.`)
}

/** A country or province by its name; or, where `isInside`, a place in it that is in no table. */
function ofArea(text: string, area: Area, isInside = false): ZoneMatch {
  const { name, country } = area
  const cities = citiesOf(area)
  const sum = (list: readonly City[]) => list.reduce((people, city) => people + city.people, 0)
  const clocks = [...Map.groupBy(cities, ({ zone }) => clockKey(zone)).values()].sort(
    (a, b) => sum(b) - sum(a),
  )
  const main = Math.max(1, clocks.filter(list => sum(list) >= sum(cities) * OUTLYING).length)
  const zones = clocks.map(([city]) =>
    zoneOf(city!, country && main > 1 ? index().clockNames.get(city!.zone) : name),
  )
  if (country && main > 1) {
    const choices = zones.map(({ label, id }) => `${label} (${id})`).join(', ')
    const choose = `"${text}" has several time zones: ${choices}. Name one of them, or a city.`
    return { ...match('country', zones), choose }
  }
  const meant = isInside ? main : 1
  const which = meant === 1 ? `this is the clock of ${name}.` : `each clock of ${name} is given.`
  const rest = clocks.slice(meant).map(([city]) => `${city!.name} (${city!.zone})`)
  return match(
    'country',
    zones.slice(0, meant),
    ...(isInside ? [`"${text}" is not in the table of cities: ${which}`] : []),
    ...(rest.length > 0 ? [`Parts of ${name} keep another clock: ${rest.join(', ')}.`] : []),
  )
}

/** With a place for each zone of a country that the library has no city in. */
function citiesOf({ country, cities }: Area): readonly City[] {
  if (!country) return cities
  const locale = new Intl.Locale('und', { region: country }) as Intl.Locale & { getTimeZones(): string[] }
  const kept = new Set(cities.map(({ zone }) => zone))
  const further = locale
    .getTimeZones()
    .map(presentName)
    .filter(zone => !kept.has(zone))
  return [
    ...cities,
    ...further.map(zone => ({ name: cityOf(zone), fullName: cityOf(zone), zone, people: 1 })),
  ]
}

/** Countries and provinces by their name, or by a code such as `TX`, which counts only after a city. */
function areasOf(text: string): readonly Area[] {
  const { areas } = index()
  const key = nameKey(text.replace(/ (?:state|province)\s*$/i, ''))
  return [key, `,${key}`].flatMap(key => areas.get(key) ?? [])
}

function zoneOf({ name, zone }: City, label = name): Zone {
  const id = presentName(intlName(zone) ?? zone)
  return { id, label, detail: id }
}

function match(kind: ZoneMatch['kind'], readings: readonly Zone[], ...notes: string[]): ZoneMatch {
  return { kind, readings, notes }
}
