import { ToolError } from '../tool.ts'
import { checkDay, type Day, dayOfIsoWeek, dayOfWeek, isoDay, MONTHS, WEEKDAYS } from './calendar.ts'

/** A date as written. Without a year, this year's is meant; `days` counts from today. */
export type WrittenDate =
  | { kind: 'day'; day: Day }
  | { kind: 'yearless'; month: number; day: number }
  | { kind: 'relative'; days: number }

/** What a reader took from the front of a text, and what is left of it. */
export interface Taken<Value> {
  value: Value
  rest: string
}

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|' +
  'nov(?:ember)?|dec(?:ember)?)\\.?'
const YEAR = '(?:,? +(\\d{4})(?![\\d:]))?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])'
const MONTH_FIRST = new RegExp(`^${MONTH} +(?:the +)?${DAY}${YEAR}`)
const DAY_FIRST = new RegExp(`^(?:the +)?${DAY}[ -]+(?:of +)?${MONTH}(?:[, -]+(\\d{4})(?![\\d:]))?`)
// Whole words only: "3pm Monaco" does not name a Monday.
const WEEKDAY =
  /^(?:(?:next|last|this) +)?(mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?(?=$|[\s,])[\s,]*/

const RELATIVE: readonly (readonly [RegExp, number])[] = [
  [/^(?:the )?day after tomorrow(?![a-z])/, 2],
  [/^(?:the )?day before yesterday(?![a-z])/, -2],
  [/^(?:today|tonight)(?![a-z])/, 0],
  [/^tomorrow(?![a-z])/, 1],
  [/^yesterday(?![a-z])/, -1],
]

/**
 * Takes a date off the front of lower-case text.
 * @throws {ToolError} when it is a date that does not exist or may be read two ways.
 */
export function takeDate(text: string): Taken<WrittenDate> | undefined {
  for (const [form, days] of RELATIVE) {
    const found = form.exec(text)
    if (found) return { value: { kind: 'relative', days }, rest: text.slice(found[0].length) }
  }
  const weekday = WEEKDAY.exec(text)
  if (weekday) return takeWeekday(text.slice(weekday[0].length), weekday[1]!)
  return takeNumbers(text) ?? takeMonthName(text)
}

function takeWeekday(rest: string, start: string): Taken<WrittenDate> {
  const name = WEEKDAYS.find(day => day.toLowerCase().startsWith(start))!
  const taken = takeNumbers(rest) ?? takeMonthName(rest)
  if (!taken) {
    throw new ToolError(
      `"${name}" alone does not say which date: write it as 2026-03-01 (operation "now" tells today's).`,
    )
  }
  if (taken.value.kind === 'day') {
    const real = WEEKDAYS[dayOfWeek(taken.value.day) - 1]!
    if (real !== name)
      throw new ToolError(`${isoDay(taken.value.day)} is a ${real}, not a ${name}: correct one of them.`)
  }
  return taken
}

function takeNumbers(text: string): Taken<WrittenDate> | undefined {
  const week = /^(\d{4})-?w(\d{2})(?:-?([1-7]))?(?!\d)/.exec(text)
  if (week) {
    return taken(text, week, dayOfIsoWeek(Number(week[1]), Number(week[2]), Number(week[3] ?? 1)))
  }
  const iso =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})(?=$|[\st])/.exec(text)
  if (iso) return taken(text, iso, { year: Number(iso[1]), month: Number(iso[3]), day: Number(iso[4]) })
  const short = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/.exec(text)
  if (short) return taken(text, short, readShort(short[0], Number(short[1]), Number(short[3]), short[4]!))
  if (/^\d{1,6}-\d{1,2}-\d{1,2}(?!\d)/.test(text)) {
    throw new ToolError(
      `Cannot read the date in "${text}": write it as 2026-03-01, years 0001 to 9999 in four digits.`,
    )
  }
  return undefined
}

/** `25/12/2026` can only be read one way; `03/04/2026` cannot. */
function readShort(text: string, first: number, second: number, yearText: string): Day {
  const year = Number(yearText)
  if (yearText.length < 4)
    throw new ToolError(`"${text}" has a two-digit year: write the date as 2026-03-01.`)
  if (first > 12 && second <= 12) return { year, month: second, day: first }
  if (second > 12 || first === second) return { year, month: first, day: second }
  const monthFirst = isoDay({ year, month: first, day: second })
  const dayFirst = isoDay({ year, month: second, day: first })
  throw new ToolError(`"${text}" may be ${monthFirst} or ${dayFirst}: write the one you mean in that form.`)
}

function takeMonthName(text: string): Taken<WrittenDate> | undefined {
  const monthFirst = MONTH_FIRST.exec(text)
  const found = monthFirst ?? DAY_FIRST.exec(text)
  if (!found) return undefined
  const [name = '', dayText] = monthFirst ? [found[1], found[2]] : [found[2], found[1]]
  const month = MONTHS.findIndex(known => known.toLowerCase().startsWith(name.slice(0, 3))) + 1
  const day = Number(dayText)
  if (found[3] !== undefined) return taken(text, found, { year: Number(found[3]), month, day })
  checkDay({ year: 2000, month, day })
  return { value: { kind: 'yearless', month, day }, rest: text.slice(found[0].length) }
}

function taken(text: string, found: RegExpExecArray, day: Day): Taken<WrittenDate> {
  return { value: { kind: 'day', day: checkDay(day) }, rest: text.slice(found[0].length) }
}
