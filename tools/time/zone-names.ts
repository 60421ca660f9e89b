import type { ZoneMatch } from './zone.ts'

/** `Intl` answers these with the name they had in the last century; here they carry today's. */
const MODERN = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
])

/**
 * IANA names without a slash, save those that are also the name of a country or city, which `places.ts` knows.
 * `Intl` takes more of them (`BST`, `ACT`) and reads them wrongly, hence a list.
 */
const SINGLE_WORDS = new Set(
  'gb gb-eire kwajalein navajo nz nz-chat roc rok w-su met est5edt cst6cdt mst7mdt pst8pdt'.split(' '),
)

/** Recognises an IANA name or alias in any case, with spaces for underscores; answers with its present name. */
export function findZoneName(text: string): ZoneMatch | undefined {
  const written = text.trim().replace(/\s+/g, '_')
  if (!written.includes('/') && !SINGLE_WORDS.has(written.toLowerCase())) return undefined
  // ICU still knows names that the database dropped long ago.
  if (/^systemv\//i.test(written)) return undefined
  if (!/^[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){0,2}$/.test(written)) return undefined
  const known = intlName(written)
  if (known === undefined) return undefined
  const id = MODERN.get(known) ?? known
  const notes =
    id.toLowerCase() === written.toLowerCase()
      ? []
      : [`"${text.trim()}" is an alias of ${id} in the zone database.`]
  return { kind: 'name', readings: [{ id, label: cityOf(id), detail: id }], notes }
}

/** Every present IANA name that lies under a region, as `Asia/Tokyo`. */
export function zoneNames(): string[] {
  return Intl.supportedValuesOf('timeZone')
    .filter(name => name.includes('/') && !name.startsWith('Etc/'))
    .map(name => MODERN.get(name) ?? name)
}

/** The city in an IANA name: `Buenos Aires` of `America/Argentina/Buenos_Aires`. */
export function cityOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1).replaceAll('_', ' ')
}

function intlName(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
