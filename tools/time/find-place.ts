import { type Area, type City, fullName, isKnown, isOurs, ownCity, placeIndex } from './places.ts'
import { nameKey, type Zone, type ZoneMatch } from './zone.ts'
import { cityOf, clockKey, clockName, presentName } from './zone-names.ts'

/** Namesakes from half the population of the largest city are answered too; from a tenth they are noted. */
const [RIVAL, NOTED] = [0.5, 0.1]
/** A zone with a smaller share of an area's population counts as outlying. */
const OUTLYING = 0.06

/** Finds a city, province or country, or a city in one of them. */
export function findPlace(text: string): ZoneMatch | undefined {
  const bare = text.replace(/ (?:city|state|province|(?:international )?airport)$/i, '')
  const whole = findNamed(text) ?? findNamed(bare)
  if (whole) return whole
  const [city = '', ...areas] = text.split(',')
  if (areas.length > 0) {
    const inside = areas.map(area => findInside(city, area)).find(found => found)
    const [around] = inside || nameKey(city) === '' || /\d/.test(city) ? [] : areasOf(areas.at(-1)!)
    return inside ?? (around && ofArea(text, around, true))
  }
  const spaces = [...text.matchAll(/ /g)].slice(0, 7).map(({ index }) => index)
  const parts = spaces.map(at => [text.slice(0, at), text.slice(at)] as const)
  // `Paris Texas`, but not `New York Texas`; and codes are words too: `Nice in`.
  const states = parts
    .filter(([name]) => placeIndex().cities.has(nameKey(name)) && areasOf(name).length === 0)
    .flatMap(([, area]) => placeIndex().areas.get(nameKey(area)) ?? [])
    .filter(({ province }) => province)
  const inside = parts.map(([name, area]) => findInside(name, area)).findLast(found => found)
  return inside ?? (states[0] && ofArea(text, states[0], true))
}

function findNamed(text: string): ZoneMatch | undefined {
  const known = placeIndex().cities.get(nameKey(text))?.filter(isKnown) ?? []
  const [area] = placeIndex().areas.get(nameKey(text)) ?? []
  return known[0] && (isOurs(known[0]) || !area) ? ofCities(text, known) : area && ofArea(text, area)
}

/** Reads `Austin, Texas`: a city in the area named after it. */
function findInside(name: string, around: string): ZoneMatch | undefined {
  const named = placeIndex().cities.get(nameKey(name)) ?? []
  for (const area of areasOf(around)) {
    const city = named.find(one => liesIn(one, area))
    if (city) return match('city', [zoneOf(city, named.length > 1 ? fullName(city) : city.city)])
  }
  return undefined
}

function liesIn({ city, timezone, iso2, province }: City, area: Area): boolean {
  if (iso2) return iso2 === area.iso2 && (!area.province || area.province === province)
  // Our own cities have only a zone, and `Springfield, Massachusetts` already contains its area.
  return !city.includes(',') && citiesOf(area).some(other => other.timezone === timezone)
}

/** Answers the largest city of a name, and answers or notes others of similar size on a different clock. */
function ofCities(text: string, [first, ...rest]: readonly City[]): ZoneMatch {
  const key = clockKey(first!.timezone)
  const others = rest.filter(({ pop, timezone }) => pop > first!.pop * NOTED && clockKey(timezone) !== key)
  if (others.length === 0) return match('city', [zoneOf(first!)])
  const [best, ...less] = [first!, ...others].map(city => zoneOf(city, fullName(city))) as [Zone, ...Zone[]]
  if (others.some(({ pop }) => pop > first!.pop * RIVAL)) {
    const all = [best, ...less].map(({ label }) => label).join(' or ')
    return match('city', [best, ...less], `"${text}" may be ${all}; each is answered.`)
  }
  const named = less.map(({ label, id }) => `${label} is ${id}`).join('; ')
  return match('city', [best], `"${text}" is read as ${best.label}; ${named}.`)
}

/** Answers a country or province; with `isInside`, an unlisted place within it. */
function ofArea(text: string, area: Area, isInside = false): ZoneMatch {
  const { name, province } = area
  const cities = citiesOf(area)
  const people = (list: readonly City[]) => list.reduce((sum, { pop }) => sum + pop, 0)
  // The largest city of each clock stands for it.
  const clocks = [...Map.groupBy(cities, ({ timezone }) => clockKey(timezone)).values()]
    .map(list => ({ city: list[0]!, share: people(list) / people(cities) }))
    .sort((a, b) => b.share - a.share)
  const main = clocks.filter(({ share }, at) => at === 0 || share >= OUTLYING)
  if (!province && main.length > 1) {
    const zones = clocks.map(({ city }) => zoneOf(city, clockName(city.timezone)))
    const choices = zones.map(({ label, id }) => `${label} (${id})`).join(', ')
    const choose = `"${text}" has several time zones: ${choices}. Name one of them, or a city.`
    return { ...match('country', zones), choose }
  }
  const meant = isInside ? main : clocks.slice(0, 1)
  const rest = clocks.slice(meant.length).map(({ city }) => `${city.city} (${city.timezone})`)
  const which =
    meant.length === 1 ? `this is the time in ${name}.` : `the time in each zone of ${name} is given.`
  const notes = isInside ? [`"${text}" is not in the table of cities: ${which}`] : []
  if (rest.length > 0) notes.push(`Parts of ${name} are in another time zone: ${rest.join(', ')}.`)
  const readings = meant.map(({ city }) => zoneOf(city, name))
  return match(province ? 'province' : 'country', readings, ...notes)
}

/** Adds a place for each zone of a country in which the library has no city. */
function citiesOf({ iso2, province, cities }: Area): readonly City[] {
  if (province) return cities
  const locale = new Intl.Locale('und', { region: iso2 }) as Intl.Locale & { getTimeZones(): string[] }
  const kept = new Set(cities.map(({ timezone }) => timezone))
  const further = locale.getTimeZones().map(id => presentName(id) ?? id)
  return [...cities, ...further.filter(id => !kept.has(id)).map(id => ownCity(cityOf(id), id, 1))]
}

/** Countries and provinces by name, or by a code such as `TX`, which is valid only after a city. */
export function areasOf(text: string): readonly Area[] {
  const key = nameKey(text.replace(/ (?:state|province)\s*$/i, ''))
  return [key, `,${key}`].flatMap(name => placeIndex().areas.get(name) ?? [])
}

function zoneOf({ city, timezone }: City, label = city): Zone {
  const id = presentName(timezone) ?? timezone
  return { id, label, detail: id }
}

function match(kind: ZoneMatch['kind'], readings: readonly Zone[], ...notes: string[]): ZoneMatch {
  return { kind, readings, notes }
}
