import { Temporal } from 'temporal-polyfill'

export interface Moment {
  readonly date: Temporal.PlainDate | undefined
  readonly time: Temporal.PlainTime | undefined
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const MONTH = String.raw`(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`

const DATES: readonly { readonly form: RegExp; readonly order: readonly [number, number, number] }[] = [
  { form: /\b(\d{4})-(\d{2})-(\d{2})(?=$|[ t,])/, order: [1, 2, 3] },
  { form: new RegExp(`\\b${DAY} (?:of )?${MONTH},? (\\d{4})\\b`), order: [3, 2, 1] },
  { form: new RegExp(`\\b${MONTH} ${DAY},? (\\d{4})\\b`), order: [3, 1, 2] },
]
const NAMED_DAYS = new Map([
  ['today', 0],
  ['now', 0],
  ['tomorrow', 1],
  ['yesterday', -1],
])

/** A date, a time of day or both, and nothing else. `today` is in UTC. */
export function readMoment(text: string, now: Date): Moment | undefined {
  let rest = text.trim()
  let date: Temporal.PlainDate | undefined
  for (const { form, order } of DATES) {
    const parts = form.exec(rest)
    if (parts === null || date !== undefined) continue
    const [year, month, day] = order.map(index => parts[index] ?? '') as [string, string, string]
    date = dateOf(Number(year), /^\d/.test(month) ? Number(month) : MONTHS.indexOf(month) + 1, Number(day))
    rest = rest.replace(parts[0], ' ')
  }
  rest = rest.replace(/\b(today|now|tomorrow|yesterday)\b/, word => {
    date ??= dayOf(now).add({ days: NAMED_DAYS.get(word) ?? 0 })
    return ' '
  })
  const time = timeIn(rest)
  if (time !== undefined) rest = rest.replace(time.words, ' ')
  if (
    /[^\s,]/.test(
      rest.replace(
        /\b(on|at|the|t|hours|o'clock|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/g,
        '',
      ),
    )
  )
    return undefined
  return date === undefined && time === undefined ? undefined : { date, time: time?.value }
}

export function dayOf(now: Date, zone = 'UTC'): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate()
}

function timeIn(text: string): { readonly words: string; readonly value: Temporal.PlainTime } | undefined {
  const named = /\b(noon|midday|midnight)\b/.exec(text)
  if (named !== null) return { words: named[0], value: timeOf(named[1] === 'midnight' ? 0 : 12) }
  const half = /\b(\d{1,2})(?:[:.](\d{2}))? ?([ap])\.?m\b\.?/.exec(text)
  if (half !== null) {
    const hour = (Number(half[1]) % 12) + (half[3] === 'p' ? 12 : 0)
    return { words: half[0], value: timeOf(hour, Number(half[2] ?? 0)) }
  }
  const full = /(?:\b|t)(\d{1,2}):(\d{2})(?::(\d{2}))?\b/.exec(text)
  if (full === null || Number(full[1]) > 23) return undefined
  return { words: full[0], value: timeOf(Number(full[1]), Number(full[2]), Number(full[3] ?? 0)) }
}

function timeOf(hour: number, minute = 0, second = 0): Temporal.PlainTime {
  return Temporal.PlainTime.from({ hour, minute, second })
}

function dateOf(year: number, month: number, day: number): Temporal.PlainDate | undefined {
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' })
  } catch {
    return undefined
  }
}
