import { readZone } from '../../../tools/time/find-zone.ts'

/** Common words that happen to be zone names; they count only in capitals. */
const NO_NAME =
  /^(?:it|to|is|in|at|on|for|of|an?|and|or|if|when|now|me|my|time|local|current|get|eat|act|cat|art|met|bit|pet)$/
const [MOST, MOST_WORDS] = [20, 6]
/** Names span at most this many comma-separated parts; the list itself may be longer. */
const MOST_PARTS = 3
const JOINT = /(,? *(?:\band\b|&) *|, *| *\b(?:vs\.?|versus)(?!\w) *)(?:(?:in|for|at)\b *)?/i

/** Whether the time tool knows a place or zone by this name: `Tokyo`, `Moscow, Idaho`, `UTC+2`. */
export function isPlace(name: string): boolean {
  if (NO_NAME.test(name) || name.split(' ').length > MOST_WORDS) return false
  try {
    return !!readZone(name)
  } catch {
    return false
  }
}

/** Reads one or more places: `Tokyo`, `Tokyo, London and New York`. */
export function readPlaces(text: string): readonly string[] | undefined {
  const parts = text.replace(/^both /i, '').split(JOINT)
  const places: string[] = []
  for (let at = 0; at < parts.length; ) {
    const length = [...Array(MOST_PARTS).keys()].reverse().find(more => {
      return at + 2 * more < parts.length && isPlace(parts.slice(at, at + 2 * more + 1).join(''))
    })
    if (length === undefined || places.length === MOST) return undefined
    places.push(parts.slice(at, at + 2 * length + 1).join(''))
    at += 2 * length + 2
  }
  return places
}
