import { Temporal } from 'temporal-polyfill'
import places from './places.json' with { type: 'json' }
import type { ZoneMatch } from './zone.ts'

/** Zones that `Intl` still reports by an outdated name, with the current one. */
const PRESENT: Partial<Record<string, string>> = places.zonesRenamed

/**
 * IANA names without a slash, except names of countries and cities. A list, because `Intl` accepts more of them (`BST`,
 * `ACT`) and misreads them.
 */
const SINGLE_WORDS =
  /^(?:gb|gb-eire|kwajalein|navajo|nz|nz-chat|roc|rok|w-su|met|(?:est5e|cst6c|mst7m|pst8p)dt)$/i

/** Recognises an IANA name or alias in any case, with spaces for underscores; returns its current name. */
export function findZoneName(text: string): ZoneMatch | undefined {
  const written = text.replaceAll(' ', '_')
  // ICU still accepts names that the IANA database dropped long ago.
  const isName =
    /^(?!systemv)[a-z][\w+-]*(?:\/[a-z][\w+-]*){1,2}$/i.test(written) || SINGLE_WORDS.test(written)
  const id = isName ? presentName(written) : undefined
  if (!id) return undefined
  const isAlias = id.toLowerCase() !== written.toLowerCase()
  const notes = isAlias ? [`"${text}" is an alias of ${id} in the zone database.`] : []
  return { kind: 'name', readings: [{ id, label: cityOf(id), detail: id }], notes }
}

/** The current IANA name of a zone; `undefined` when `Intl` knows none. */
export function presentName(name: string): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return PRESENT[timeZone] ?? timeZone
  } catch {
    return undefined
  }
}

const clockKeys = new Map<string, string>()

/** Equal for zones that show the same time all year. */
export function clockKey(zone: string): string {
  const known = clockKeys.get(zone)
  if (known !== undefined) return known
  const { year } = Temporal.Now.plainDateISO()
  const days = [1, 4, 7, 10].map(month => new Temporal.PlainDate(year, month, 15).toZonedDateTime(zone))
  const key = days.map(({ offset }) => offset).join()
  clockKeys.set(zone, key)
  return key
}

/** The city in an IANA name: `Buenos Aires` of `America/Argentina/Buenos_Aires`. */
export function cityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' ')
}

/** The everyday name of a zone's clock: `Eastern`. */
export function clockName(zone: string): string | undefined {
  const lists: Partial<Record<string, readonly string[]>> = places.cities
  return lists[zone]?.map(names => /^[^,]+(?= Time\b)/.exec(names)?.[0]).find(name => name)
}
