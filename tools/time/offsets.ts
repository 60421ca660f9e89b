import type { Zone, ZoneMatch } from './zone.ts'

const NAMES_OF_ZERO = new Set([
  ...[
    'utc',
    'utc0',
    'utc 0',
    'z',
    'zulu',
    'uct',
    'universal',
    'etc/utc',
    'etc/uct',
    'etc/zulu',
    'etc/universal',
  ],
  ...['gmt', 'gmt0', 'gmt 0', 'greenwich', 'etc/gmt', 'etc/gmt0', 'etc/greenwich'],
  ...['coordinated universal time', 'universal time', 'greenwich mean time'],
])
const EARLIEST_MINUTES = -12 * 60
const LATEST_MINUTES = 14 * 60

/** True when the text was surely meant as an offset, though it may be out of range. */
export function looksLikeOffset(text: string): boolean {
  return /^(?:(?:utc|gmt)\s*)?[+\-\u2212\u2013]\s*\d/i.test(text.trim())
}

/**
 * Reads `UTC`, `GMT`, `Z`, `UTC+5:30`, `GMT-3`, `+05:30`, `-0800`, `Etc/GMT+5`.
 * Offsets run from UTC-12:00 to UTC+14:00, the ends of what clocks on Earth keep.
 */
export function findOffset(text: string): ZoneMatch | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
  if (NAMES_OF_ZERO.has(name)) {
    return match({
      id: 'UTC',
      label: name.includes('gmt') || name.includes('green') ? 'GMT' : 'UTC',
      detail: '',
    })
  }
  const posix = /^etc\/gmt([+-])(\d{1,2})$/.exec(name)
  if (posix) return findPosixOffset(posix[1] === '+' ? -1 : 1, Number(posix[2]))
  const parts = /^(?:(?:utc|gmt)\s*)?([+-])\s*(\d{1,2})(?::?(\d{2}))?$/.exec(name)
  if (!parts || Number(parts[3] ?? 0) > 59) return undefined
  const minutes = (Number(parts[2]) * 60 + Number(parts[3] ?? 0)) * (parts[1] === '-' ? -1 : 1)
  if (minutes < EARLIEST_MINUTES || minutes > LATEST_MINUTES) return undefined
  return match(offsetZone(minutes))
}

/** The POSIX habit: `Etc/GMT+5` lies west of Greenwich, and so is five hours behind UTC. */
function findPosixOffset(sign: number, hours: number): ZoneMatch | undefined {
  const minutes = sign * hours * 60
  if (minutes < EARLIEST_MINUTES || minutes > LATEST_MINUTES) return undefined
  if (hours === 0) return match({ id: 'UTC', label: 'GMT', detail: '' })
  const zone = offsetZone(minutes)
  const name = `Etc/GMT${sign < 0 ? '+' : '-'}${hours}`
  return match(zone, `${name} has its sign reversed, as POSIX writes it: it is ${zone.label}.`)
}

function offsetZone(minutes: number): Zone {
  if (minutes === 0) return { id: 'UTC', label: 'UTC', detail: '' }
  const size = Math.abs(minutes)
  const hours = String(Math.floor(size / 60)).padStart(2, '0')
  const id = `${minutes < 0 ? '-' : '+'}${hours}:${String(size % 60).padStart(2, '0')}`
  return { id, label: `UTC${id}`, detail: '' }
}

function match(zone: Zone, ...notes: string[]): ZoneMatch {
  return { kind: 'offset', readings: [zone], notes }
}
