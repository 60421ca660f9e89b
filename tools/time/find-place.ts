import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { type Area, type City, fullName, isKnown, placeIndex } from './places.ts'
import { nameKey, type Zone } from './zone.ts'

/** Namesakes with less of the largest one's population are not mentioned. */
const NOTED = 0.1
/** The share of the people meant that one clock needs to be the answer. */
const CLEAR = 0.65

/**
 * Finds a city, state or country, or a city in one of them. The clock that most people meant keep is the answer; a note
 * names the others.
 * @throws {ToolError} with the choices when no clock is kept by most
 */
export function findPlace(text: string): Zone | undefined {
  const { cities, areas } = placeIndex()
  const known = cities.get(nameKey(text))?.filter(isKnown) ?? []
  const namesakes = known.filter(({ pop }) => pop > known[0]!.pop * NOTED)
  const around = areas.get(nameKey(text)) ?? []
  const whole = [...namesakes, ...around.flatMap(area => area.cities)]
  if (whole.length > 0) return choose(text, whole, around[0]?.name ?? nameOf(namesakes))
  const [name = '', ...rest] = text.split(',')
  // Codes are words too, so they count only after a city.
  const outer = rest.flatMap(part =>
    [nameKey(part), `code ${nameKey(part)}`].flatMap(key => areas.get(key) ?? []),
  )
  if (outer.length === 0 || nameKey(name) === '' || /\d/.test(name)) return undefined
  const named = cities.get(nameKey(name)) ?? []
  const inside = named.filter(city => outer.some(area => liesIn(city, area)))
  if (inside.length > 0) return choose(text, inside, nameOf(inside))
  // Where one of our own cities lies is not known: Easter Island is in Chile.
  if (named.some(({ iso2 }) => !iso2)) return undefined
  const area = outer[0]!
  const zone = choose(area.name, area.cities, area.name)
  const note = `"${text}" is not in the table of cities: this is the time in ${area.name}.`
  return { ...zone, note: zone.note ? `${note} ${zone.note}` : note }
}

/** Of our own cities only the zone is known. */
function liesIn(city: City, { cities }: Area): boolean {
  return city.iso2 ? cities.includes(city) : cities.some(({ timezone }) => timezone === city.timezone)
}

function nameOf([first, ...others]: readonly City[]): string {
  return others.length > 0 ? fullName(first!) : first!.city
}

function choose(text: string, cities: readonly City[], label: string): Zone {
  const people = (list: readonly City[]) => list.reduce((sum, { pop }) => sum + pop, 0)
  const zones = Map.groupBy(cities, ({ timezone }) => timezone)
  const clocks = [...Map.groupBy(zones, ([zone]) => clockOf(zone)).values()]
    .map(alike => alike.flatMap(([, own]) => own))
    .sort((a, b) => people(b) - people(a))
  const [main, ...others] = clocks.map(([largest]) => largest!)
  const name = (city: City) => `${fullName(city)} (${city.timezone})`
  if (people(clocks[0]!) < CLEAR * people(cities)) {
    const choices = [main!, ...others].map(name).join(', ')
    throw new ToolError(`"${text}" has several time zones: ${choices}. Name one of these cities or zones.`)
  }
  const zone = { id: main!.timezone, label, detail: main!.timezone }
  if (others.length === 0) return zone
  return { ...zone, note: `"${text}" is read as ${name(main!)}; elsewhere: ${others.map(name).join(', ')}.` }
}

/** Equal for zones that show the same time all year. */
function clockOf(zone: string): string {
  const { year } = Temporal.Now.plainDateISO()
  const days = [1, 4, 7, 10].map(month => new Temporal.PlainDate(year, month, 15).toZonedDateTime(zone))
  return days.map(({ offset }) => offset).join()
}
