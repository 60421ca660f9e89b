import type { Temporal } from 'temporal-polyfill'
import feasts from './feasts.json' with { type: 'json' }
import { MONTHS, numberOf, WEEKDAYS } from './format.ts'
import movingFeasts from './moving-feasts.json' with { type: 'json' }
import { pickDay } from './periods.ts'
import { checkDate, inYear, type WrittenDate, withNote } from './written-date.ts'

/** The rule of each holiday or observance, by the name that `FEAST` captures: `12-25`, `last monday of may`. */
const rules = new Map(
  Object.entries({ ...feasts, ...movingFeasts }).flatMap(([rule, names]) => {
    const plain = names.replaceAll("'", '').split(', ')
    return plain.map(name => [name, rule] as const)
  }),
)
/** Longest first, so that Christmas Eve does not match as Christmas. */
const names = [...rules.keys()].sort((a, b) => b.length - a.length)

/** Pattern source that captures a holiday's name, in lower case without apostrophes. */
export const FEAST = `(?:the )?(${names.join('|')})(?![a-z]| island)`

/** Reads a holiday by a name that `FEAST` captures, with a year as `YEAR` captures it. */
export function feastDay(name: string, year?: string, word?: string): WrittenDate {
  const rule = rules.get(name)!
  const [month, day] = rule.split('-').map(Number)
  if (month && day) return inYear(one => checkDate(one, month, day), year, word)
  const [, base = '', days] = /^(.*?)(?: ([+-]\d+) days?)?$/.exec(rule)!
  const [which, weekday, , inMonth] = base.split(' ')
  const on = (one: number) => {
    const isEaster = base === 'western easter'
    const month = checkDate(one, isEaster ? 3 : numberOf(MONTHS, inMonth), 1)
    const first = isEaster ? easter(month) : pickDay(month, 1, numberOf(WEEKDAYS, weekday), which)
    return first.add({ days: Number(days ?? 0) })
  }
  return withNote(inYear(on, year, word), () => `"${name}" is read as ${rule}.`)
}

/** Easter Sunday in the Gregorian calendar, from 1 March of its year, by the method of Meeus, Jones and Butcher. */
function easter(march: Temporal.PlainDate): Temporal.PlainDate {
  const { year } = march
  const [golden, century] = [year % 19, Math.floor(year / 100)]
  const moon = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25)
  const full = (19 * golden + moon + 15) % 30
  const late = full - Math.floor((golden + 11 * full) / 319)
  const paschal = march.add({ days: 20 + late })
  return paschal.add({ days: 7 - (paschal.dayOfWeek % 7) })
}
