import { readNumber } from './number.ts'
import type { Found, Text } from './text.ts'

const UNIT = /(?:second|minute|hour|day|week|fortnight|month|quarter|year|decade|sec|min|hr|mo|yr)s?\b/y
const ARTICLE = /(?:half )?an? /y
const MOST_PARTS = 8

/** Reads a unit of time. */
export function readTimeUnit(text: Text, at: number): Found<string>[] {
  const unit = text.match(UNIT, at)
  return unit ? [{ end: unit.index + unit[0].length, value: unit[0] }] : []
}

/** Reads a duration: `3 days`, `an hour and 30 minutes`, `two weeks`; longest first, as the time tool takes it. */
export function readDuration(text: Text, at: number): Found<string>[] {
  const found: Found<string>[] = []
  let words = ''
  for (let next = at; found.length < MOST_PARTS; ) {
    const article = text.match(ARTICLE, next)
    const number = article ? undefined : readNumber(text, next)
    const amount = article ? (article[0].startsWith('half') ? 'half a' : '1') : number?.value.trim()
    const [unit] = readTimeUnit(text, article ? article.index + article[0].length : (number?.end ?? next))
    if (amount === undefined || !unit || !/^(?:half a|[\d,.]+)$/.test(amount)) break
    words += `${words && ' '}${amount.replaceAll(',', '')} ${unit.value}`
    found.unshift({ end: unit.end, value: words })
    const joint = text.match(/, *and\b|and\b|,/y, unit.end)
    next = joint ? joint.index + joint[0].length : unit.end
  }
  return found
}
