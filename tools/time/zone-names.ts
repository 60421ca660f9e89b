import { Temporal } from 'temporal-polyfill'
import places from './places.json' with { type: 'json' }
import type { ZoneMatch } from './zone.ts'

/** Zones that `Intl` still reports by an outdated name, with the current one. */
const PRESENT = new Map(Object.entries(places.zonesRenamed))

/**
 * IANA names without a slash, except names of countries and cities. A list, because `Intl` accepts more of them (`BST`,
 * `ACT`) and misreads them.
 */
const SINGLE_WORDS = new Set(
  'gb gb-eire kwajalein navajo nz nz-chat roc rok w-su met est5edt cst6cdt mst7mdt pst8pdt'.split(' '),
)

/** Recognises an IANA name or alias in any case, with spaces for underscores; returns its current name. */
export function findZoneName(text: string): ZoneMatch | undefined {
  const written = text.trim().replace(/\s+/g, '_')
  if (!written.includes('/') && !SINGLE_WORDS.has(written.toLowerCase())) return undefined
  // ICU still accepts names that the IANA database dropped long ago.
  if (!/^(?!systemv)[a-z][\w+-]*(?:\/[a-z][\w+-]*){0,2}$/i.test(written)) return undefined
  const known = intlName(written)
  if (known === undefined) return undefined
  const id = presentName(known)
  const isAlias = id.toLowerCase() !== written.toLowerCase()
  const notes = isAlias ? [`"${text.trim()}" is an alias of ${id} in the zone database.`] : []
  return { kind: 'name', readings: [{ id, label: cityOf(id), detail: id }], notes }
}

/** The current IANA name for an id from `Intl`. */
export function presentName(id: string): string {
  return PRESENT.get(id) ?? id
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

export function intlName(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
