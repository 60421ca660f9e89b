import { findZone } from '../../../tools/time/find-zone.ts'
import type { Found, Text } from './text.ts'

/** A word of a name, with the comma before it if there is one. */
const WORD = /(,? *)([\p{L}\p{N}][\p{L}\p{N}.'+:/_-]*)/uy
const MOST_WORDS = 5
/** What a look-up costs, in steps of reading. */
const LOOKUP_STEPS = 100
/** Words that are names of zones by chance, and those that a name does not begin with. */
const NO_NAME =
  /^(?:it|to|is|in|at|on|for|of|a|an|and|or|if|when|now|me|my|time|local|current|the time|get|eat|act|cat|art|met|bit|pet)$/i
const NO_START = /^(?:local|current|time|the time|in|at|now|it|what|when|if|and|to)\b/i

/** Reads the name of one place or zone: `Tokyo`, `New York`, `Austin, Texas`, `UTC+2`; the longest first. */
export function readPlace(text: Text, at: number): Found<string>[] {
  const found: Found<string>[] = []
  const start = text.skip(at)
  let commaAt: number | undefined
  for (let words = 0, end = start; words < MOST_WORDS; words++) {
    WORD.lastIndex = end + (words > 0 ? text.skip(end) - end : 0)
    const word = WORD.exec(text.plain)
    if (!word || (words === 0 && word[1] !== '')) break
    if (word[1]!.startsWith(',')) {
      if (commaAt !== undefined) break
      commaAt = end
    }
    end = word.index + word[0].length
    const closing = /[.:'/-]+$/.exec(word[0])?.[0].length ?? 0
    const name = text.typed.slice(start, end - closing)
    if (text.isSpent(LOOKUP_STEPS)) return []
    if (isPlace(name, commaAt === undefined ? undefined : commaAt - start))
      found.unshift({ end: end - closing, value: name })
  }
  return found
}

/** `Austin, Texas` is one place; `London, Paris`, each known by itself and neither in the other, are two. */
function isPlace(name: string, comma: number | undefined): boolean {
  if (NO_NAME.test(name) && !/^[A-Z]{3}$/.test(name)) return false
  if (NO_START.test(name) || /\b(?:and|in|to|now)$/i.test(name)) return false
  if (/ time$/i.test(name) && findZone(name.slice(0, -' time'.length))) return false
  const match = findZone(name)
  if (!match) return false
  return comma === undefined || match.kind === 'city' || !findZone(name.slice(0, comma))
}

/** Reads one place or several: `Tokyo`, `Tokyo, London and New York`; the longest list first. */
export function readPlaces(text: Text, at: number): Found<readonly string[]>[] {
  const lists: Found<readonly string[]>[] = []
  let names: readonly string[] = []
  for (let next = text.literal('both', at) ?? at; names.length < 20; ) {
    const [place] = text.once(readPlace, text.skip(next), () => readPlace(text, next))
    if (!place) break
    names = [...names, place.value]
    lists.unshift({ end: place.end, value: names })
    const joint = text.match(
      /(?:,(?: *(?:and|&)\b)?|and\b|&|vs\.?|versus\b)(?: *(?:in|for|at)\b)?/y,
      place.end,
    )
    if (!joint) break
    next = joint.index + joint[0].length
  }
  return lists
}
