import { Temporal } from 'temporal-polyfill'
import type { ZoneMatch } from './zone.ts'

/** `Intl` answers these with the name they had in the last century; here they carry today's. */
const PRESENT: ReadonlyMap<string, string> = new Map(
  [
    'Africa/Asmera Africa/Asmara, America/Buenos_Aires America/Argentina/Buenos_Aires, Asia/Calcutta Asia/Kolkata',
    'America/Catamarca America/Argentina/Catamarca, America/Coral_Harbour America/Atikokan, Europe/Kiev Europe/Kyiv',
    'America/Cordoba America/Argentina/Cordoba, America/Godthab America/Nuuk, Asia/Katmandu Asia/Kathmandu',
    'America/Indianapolis America/Indiana/Indianapolis, America/Jujuy America/Argentina/Jujuy, Asia/Rangoon Asia/Yangon',
    'America/Louisville America/Kentucky/Louisville, America/Mendoza America/Argentina/Mendoza',
    'Asia/Saigon Asia/Ho_Chi_Minh, Atlantic/Faeroe Atlantic/Faroe, Pacific/Enderbury Pacific/Kanton',
    'Pacific/Ponape Pacific/Pohnpei, Pacific/Truk Pacific/Chuuk',
  ].flatMap(line => line.split(', ').map(pair => pair.split(' ') as [string, string])),
)

/**
 * IANA names without a slash, except those that are also the name of a country or city. `Intl` takes more of them
 * (`BST`, `ACT`) and reads them wrongly, hence a list.
 */
const SINGLE_WORDS = new Set(
  'gb gb-eire kwajalein navajo nz nz-chat roc rok w-su met est5edt cst6cdt mst7mdt pst8pdt'.split(' '),
)

/** Recognises an IANA name or alias in any case, with spaces for underscores; answers with its present name. */
export function findZoneName(text: string): ZoneMatch | undefined {
  const written = text.trim().replace(/\s+/g, '_')
  if (!written.includes('/') && !SINGLE_WORDS.has(written.toLowerCase())) return undefined
  // ICU still knows names that the database dropped long ago.
  if (!/^(?!systemv)[a-z][\w+-]*(?:\/[a-z][\w+-]*){0,2}$/i.test(written)) return undefined
  const known = intlName(written)
  if (known === undefined) return undefined
  const id = presentName(known)
  const isAlias = id.toLowerCase() !== written.toLowerCase()
  const notes = isAlias ? [`"${text.trim()}" is an alias of ${id} in the zone database.`] : []
  return { kind: 'name', readings: [{ id, label: cityOf(id), detail: id }], notes }
}

/** The name in the zone database of today, of a name that `Intl` answers with. */
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
