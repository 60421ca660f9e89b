import { readFileSync } from 'node:fs'
import { ToolInputParsingException } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { guarded } from '../../graph/guarded-tools.ts'
import feasts from '../../tools/time/feasts.json' with { type: 'json' }
import { findZone } from '../../tools/time/find-zone.ts'
import { placeIndex } from '../../tools/time/places.ts'
import { createTime } from '../../tools/time.ts'
import { ToolError } from '../../tools/tool.ts'

interface Case {
  name: string
  /** When it is asked, if not at the time of all. */
  now?: string
  args: Record<string, unknown>
  /** What comes before the notes, exactly. */
  lines: string[]
  /** Texts that the notes must hold. */
  notes: string[]
}

const data = JSON.parse(readFileSync(new URL('../data/time.json', import.meta.url), 'utf8')) as {
  now: string
  cases: Case[]
}
const time = createTime(() => Date.parse(data.now))

function ask(args: Record<string, unknown>, now = data.now): Promise<string> {
  return createTime(() => Date.parse(now)).invoke(args as never)
}

/** What the tool throws, or what it answered when it should have thrown. */
async function failure(args: Record<string, unknown>): Promise<unknown> {
  return ask(args).catch((error: unknown) => error)
}

describe('answers worked out by Python', () => {
  test.each(data.cases)('$name', async ({ now, args, lines, notes }) => {
    const answered = (await ask(args, now)).split('\n')
    const said = answered.filter(line => line.startsWith('Note: '))
    expect(answered.filter(line => !line.startsWith('Note: '))).toEqual(lines)
    for (const note of notes) expect(said.join('\n')).toContain(note)
    if (notes.length === 0 && args.operation === 'now') expect(said).toEqual([])
  })
})

describe('a date without a year', () => {
  const autumn = createTime(() => Date.UTC(2026, 10, 21, 12))
  const total = async (start: string, end: string) => {
    const answer: string = await autumn.invoke({ operation: 'difference', start, end })
    return answer.split('\n').find(line => line.startsWith('Total: '))
  }

  test.each([
    ['today', '1 January', 'Total: 41 days = 5 weeks, 6 days'],
    ['now', 'July 4', 'Total: 224 days, 12 hours = 5388 hours = 323280 minutes = 19396800 seconds'],
    ['today', '25 December', 'Total: 34 days = 4 weeks, 6 days'],
    ['today', '21 November', 'Total: 0 days'],
    ['25 December', 'today', 'Total: 331 days = 47 weeks, 2 days'],
    ['1 November', 'today', 'Total: 20 days = 2 weeks, 6 days'],
    ['March 1', 'April 1', 'Total: 31 days = 4 weeks, 3 days'],
    ['25 December', '1 January', 'Total: 7 days = 1 week'],
    ['today', 'Christmas', 'Total: 34 days = 4 weeks, 6 days'],
    ['today', 'New Year’s Eve', 'Total: 40 days = 5 weeks, 5 days'],
    ['today', '29 February', 'Total: 465 days = 66 weeks, 3 days'],
    ['today', 'Monday', 'Total: 2 days'],
    ['Friday', 'today', 'Total: 1 day'],
  ])('from %s to %s', async (start, end, expected) => {
    expect(await total(start, end)).toBe(expected)
  })
})

describe('facts beside the readings', () => {
  test('a skipped time is said not to exist, with both readings', async () => {
    const args = { operation: 'convert', time: '2026-03-08 02:30', from_zone: 'New York', to_zones: ['UTC'] }
    expect(await ask(args)).toContain(
      'Note: Sunday 2026-03-08 02:30 does not exist in New York: the clocks go forward from 02:00 to 03:00. ' +
        'Read by the clock before the change (UTC-05:00) it is 03:30, by the clock after it (UTC-04:00) it is 01:30; ' +
        'both are given.',
    )
  })

  test('a repeated time is said to happen twice', async () => {
    const args = {
      operation: 'convert',
      time: '2026-04-05 01:45',
      from_zone: 'Lord Howe Island',
      to_zones: ['UTC'],
    }
    expect(await ask(args)).toContain(
      'happens twice in Lord Howe Island, first at UTC+11:00, then at UTC+10:30: the clocks go back from 02:00 to 01:30.',
    )
  })

  test('a day that the date line took away is named with its dates', async () => {
    const args = { operation: 'convert', time: '2011-12-30 12:00', from_zone: 'Apia', to_zones: ['UTC'] }
    expect(await ask(args)).toContain('from Friday 2011-12-30 00:00 to Saturday 2011-12-31 00:00')
  })

  test('an abbreviation in season needs no remark', async () => {
    const args = { operation: 'convert', time: '2026-07-15 12:00 EDT', to_zones: ['UTC'] }
    expect(await ask(args)).toBe(
      'Wednesday 2026-07-15 12:00 EDT (Eastern Daylight Time, UTC-04:00) = Wednesday 2026-07-15 16:00 UTC',
    )
  })

  test('rules far ahead are uncertain for each zone shown', async () => {
    const args = { operation: 'convert', time: '2050-06-01T12:00Z', to_zones: ['Tokyo'] }
    expect(await ask(args)).toContain('Note: Clock rules that far ahead may still change')
  })

  test('a time of day in the first year of all is read', async () => {
    const args = { operation: 'difference', start: '0001-01-01 09:00 Tokyo', end: '09:00 New York' }
    expect(await ask(args)).toContain('to Monday 0001-01-01 09:00 New York')
  })

  test('a time with its own zone is not read in another', async () => {
    const args = { operation: 'convert', time: '2026-03-01T15:00Z', from_zone: 'Tokyo', to_zones: ['UTC'] }
    expect(await ask(args)).toBe(
      'Sunday 2026-03-01 15:00 UTC = Sunday 2026-03-01 15:00 UTC\n' +
        'Note: The time names its own zone, UTC, so "Tokyo" is ignored.',
    )
  })

  test('moments in two zones are compared in real time', async () => {
    const args = { operation: 'difference', start: '2026-03-01 09:00 Tokyo', end: '2026-03-01 09:00 London' }
    expect(await ask(args)).toBe(
      'From Sunday 2026-03-01 09:00 Tokyo (Asia/Tokyo, UTC+09:00) to Sunday 2026-03-01 09:00 London (Europe/London, UTC+00:00)\n' +
        'Calendar: 9 hours (by the clock of Tokyo (Asia/Tokyo))\n' +
        'Total: 9 hours = 540 minutes = 32400 seconds',
    )
  })

  test('a time without a zone, up to which the present is counted, is said to be of UTC', async () => {
    const args = { operation: 'difference', start: 'now', end: 'noon tomorrow' }
    const answered = await ask(args)
    expect(answered).toContain('Note: A time without a zone is read as UTC: name its place.')
    expect(answered).not.toContain('the day is that of UTC')
  })

  test('without a zone, clock changes do not count', async () => {
    const args = { operation: 'difference', start: '2026-03-28 12:00', end: '2026-03-29 12:00' }
    expect(await ask(args)).toMatch(/Total: 1 day = 24 hours.*\nNote: No zone was named/)
  })

  test('from the end of a long month to the end of a short one are days, not a month', async () => {
    const args = { operation: 'difference', start: '2026-01-31', end: '2026-02-28' }
    expect(await ask(args)).toContain('Calendar: 28 days\nTotal: 28 days = 4 weeks')
  })

  test('a date is read as the start of the day, which a clock change may delay', async () => {
    const args = { operation: 'convert', time: '2018-11-04', from_zone: 'Sao Paulo', to_zones: ['UTC'] }
    expect(await ask(args)).toContain('Sunday 2018-11-04 01:00 São Paulo (America/Sao_Paulo, UTC-02:00) =')
  })

  test.each([
    ['9:00 AM JST tomorrow', 'Sunday 2026-11-22 09:00 JST', 'Sunday 2026-11-22 00:00 UTC'],
    ['3pm Monaco, March 5, 2026', 'Thursday 2026-03-05 15:00 Monaco', 'Thursday 2026-03-05 14:00 UTC'],
    ['3pm Montréal on 2026-03-05', 'Thursday 2026-03-05 15:00 Montréal', 'Thursday 2026-03-05 20:00 UTC'],
    [
      '2026-03-05 15.30 Sun City, Arizona',
      'Thursday 2026-03-05 15:30 Arizona',
      'Thursday 2026-03-05 22:30 UTC',
    ],
    ['15:30 Sun City, Arizona', 'Friday 2026-11-20 15:30 Arizona', 'Friday 2026-11-20 22:30 UTC'],
    ['15:30 Viña del Mar', 'Friday 2026-11-20 15:30 Vina del Mar', 'Friday 2026-11-20 18:30 UTC'],
    ['15:30 Satu Mare', 'Saturday 2026-11-21 15:30 Satu Mare', 'Saturday 2026-11-21 13:30 UTC'],
    ['2026-03-05 12:00 noon Z', 'Thursday 2026-03-05 12:00 UTC', 'Thursday 2026-03-05 12:00 UTC'],
  ])('a zone may stand before or after the date: %s', async (text, local, utc) => {
    const [line] = (await ask({ operation: 'convert', time: text, to_zones: ['UTC'] })).split('\n')
    expect(line?.startsWith(local), line).toBe(true)
    expect(line?.endsWith(`= ${utc}`), line).toBe(true)
  })

  test('the result of an addition is shown in other zones too', async () => {
    const args = { operation: 'add', time: 'now', duration: '1 hour', to_zones: ['Tokyo'] }
    expect(await ask(args)).toBe(
      'Friday 2026-11-20 23:18:03 UTC + 1 hour = Saturday 2026-11-21 00:18:03 UTC' +
        ' = Saturday 2026-11-21 09:18:03 Tokyo (Asia/Tokyo, UTC+09:00)',
    )
  })

  test('fractions of a second are added', async () => {
    const args = { operation: 'add', time: '2026-03-01 15:00', from_zone: 'UTC', duration: '1.25 seconds' }
    expect(await ask(args)).toBe(
      'Sunday 2026-03-01 15:00 UTC + 1.25 seconds = Sunday 2026-03-01 15:00:01.25 UTC',
    )
  })

  test('without a zone the present is told in UTC, and that is said', async () => {
    expect(await ask({ operation: 'now' })).toMatch(
      /^UTC: Friday 2026-11-20 23:18:03 UTC\+00:00\nNote: No zone/,
    )
  })

  test('a time of day that a clock change gives twice is counted from each', async () => {
    const args = { operation: 'difference', start: '2026-10-25 01:30', end: '02:30', from_zone: 'London' }
    const totals = (await ask(args)).split('\n').filter(line => line.startsWith('Total: '))
    expect(totals).toEqual([
      'Total: 2 hours = 120 minutes = 7200 seconds',
      'Total: 1 hour = 60 minutes = 3600 seconds',
    ])
  })

  test('two times of day: a note says how far apart they are on one date', async () => {
    const args = { operation: 'difference', start: '9am in New York', end: '9am in Tokyo' }
    expect(await ask(args)).toContain('Note: On the same date, 09:00 in Tokyo is 14 hours before the start.')
  })

  test('clocks that change on the same day do not change the difference', async () => {
    const args = { operation: 'difference', start: 'New York', end: 'Los Angeles' }
    expect(await ask(args)).toMatch(/^New York .* is 3 hours ahead of Los Angeles [^\n]*$/)
  })

  test('null and a bare text are taken for what models mean by them', async () => {
    const args = { operation: 'now', zones: 'Tokyo', time: null, to_zones: null }
    expect(await guarded(time).invoke(args)).toBe(
      'Tokyo (Asia/Tokyo): Saturday 2026-11-21 08:18:03 UTC+09:00',
    )
  })
})

describe('a part of the day', () => {
  // Asked on Friday 2026-11-20 at 23:18 UTC.
  test.each([
    ['tonight at 8', 'Friday 2026-11-20 20:00'],
    ['tonight at 8:30', 'Friday 2026-11-20 20:30'],
    ['08:30 tonight', 'Friday 2026-11-20 20:30'],
    ['half past eight in the evening', 'Friday 2026-11-20 20:30'],
    ['quarter to 9 tonight', 'Friday 2026-11-20 20:45'],
    ['quarter to 1 this afternoon', 'Friday 2026-11-20 12:45'],
    ['twenty-five to four tomorrow afternoon', 'Saturday 2026-11-21 15:35'],
    ['half past 12 tonight', 'Saturday 2026-11-21 00:30'],
    ['8pm on the evening of 24 December', 'Thursday 2026-12-24 20:00'],
    ['8 in the evening of 24 December', 'Thursday 2026-12-24 20:00'],
    ["8 o'clock tonight", 'Friday 2026-11-20 20:00'],
    ['8pm tonight', 'Friday 2026-11-20 20:00'],
    ['20:00 tonight', 'Friday 2026-11-20 20:00'],
    ['tonight at midnight', 'Saturday 2026-11-21 00:00'],
    ['tonight at 12', 'Saturday 2026-11-21 00:00'],
    ['12:30am tonight', 'Saturday 2026-11-21 00:30'],
    ['tomorrow night at 11', 'Saturday 2026-11-21 23:00'],
    ['9 tomorrow morning', 'Saturday 2026-11-21 09:00'],
    ['tomorrow morning at 12:15', 'Saturday 2026-11-21 00:15'],
    ['this morning at 9', 'Friday 2026-11-20 09:00'],
    ['noon this afternoon', 'Friday 2026-11-20 12:00'],
    ['12:15 in the afternoon', 'Friday 2026-11-20 12:15'],
    ['this evening at 6', 'Friday 2026-11-20 18:00'],
    ['last night at 10', 'Thursday 2026-11-19 22:00'],
    ['next Friday at 7 in the evening', 'Friday 2026-11-27 19:00'],
    ['Christmas Eve at 9 at night', 'Thursday 2026-12-24 21:00'],
    ['Guy Fawkes Night at 9pm', 'Thursday 2026-11-05 21:00'],
  ])('%s is %s', async (text, moment) => {
    const args = { operation: 'convert', time: text, from_zone: 'UTC', to_zones: ['UTC'] }
    expect((await ask(args)).split('\n')[0]).toBe(`${moment} UTC = ${moment} UTC`)
  })

  test.each([
    ['tonight at 8 in Tokyo', 'Friday 2026-11-20 11:00 UTC', '2026-11-20T09:00Z'],
    ['9pm JST tonight', 'Friday 2026-11-20 12:00 UTC', '2026-11-20T09:00Z'],
    ['9am JST tomorrow morning', 'Saturday 2026-11-21 00:00 UTC', '2026-11-20T09:00Z'],
  ])('%s is %s: the zone may stand on either side', async (text, moment, now) => {
    const args = { operation: 'convert', time: text, to_zones: ['UTC'] }
    expect((await ask(args, now)).split('\n')[0]).toMatch(` = ${moment}`)
  })

  test.each(['8 tonight', '8 this evening in Tokyo', '3 tomorrow afternoon', '8 2026-03-05 at night'])(
    '%s, which a refusal suggests, is read',
    async text => {
      const args = { operation: 'convert', time: text, from_zone: 'UTC', to_zones: ['UTC'] }
      expect(await ask(args)).toContain(' = ')
    },
  )

  test.each([
    ['tonight', '2026-11-20 is a Friday'],
    ['last night', '2026-11-19 is a Thursday'],
    ['tomorrow night', '2026-11-21 is a Saturday'],
    ['tonight at midnight', '2026-11-21 is a Saturday'],
  ])('the weekday of %s needs no time of day', async (text, day) => {
    expect(await ask({ operation: 'weekday', time: text })).toContain(day)
  })

  test.each([
    ['2026-11-22T00:10Z', '12:30 at night', 'Sunday 2026-11-22 00:30'],
    ['2026-11-22T00:10Z', 'tonight at 12:30', 'Sunday 2026-11-22 00:30'],
    ['2026-11-22T00:10Z', 'tomorrow night at 12:30', 'Tuesday 2026-11-24 00:30'],
    ['2026-11-22T00:10Z', '2026-11-22 at 12:30 at night', 'Monday 2026-11-23 00:30'],
    ['2026-11-22T00:10Z', 'midnight tonight', 'Monday 2026-11-23 00:00'],
    ['2026-11-22T00:10Z', '24:00', 'Monday 2026-11-23 00:00'],
    ['2026-11-22T00:40Z', '12:30 at night', 'Monday 2026-11-23 00:30'],
    ['2026-11-22T00:40Z', 'tonight at 12:30', 'Monday 2026-11-23 00:30'],
    ['2026-11-22T12:00Z', '12:30 at night', 'Monday 2026-11-23 00:30'],
    ['2026-11-22T12:00Z', 'tonight at 12:30', 'Monday 2026-11-23 00:30'],
  ])('at %s, the next %s is %s, and a note names that day', async (now, text, moment) => {
    const args = { operation: 'difference', start: 'now', end: text, from_zone: 'UTC' }
    const answered = await ask(args, now)
    expect(answered.split('\n')[0]).toMatch(new RegExp(` to ${moment} UTC$`))
    if (answered.includes('No date was given'))
      expect(answered).toContain(`the next one is assumed, ${moment.slice(0, -6)}.`)
  })

  test.each([
    ['2026-11-22T00:10Z', 'last night at 12:30', 'Saturday 2026-11-21 00:30'],
    ['2026-11-22T00:40Z', 'last night at 12:30', 'Sunday 2026-11-22 00:30'],
    ['2026-11-22T00:10Z', '12:30 at night', 'Saturday 2026-11-21 00:30'],
    ['2026-11-22T12:00Z', '12:30 at night', 'Sunday 2026-11-22 00:30'],
  ])('at %s, the last %s was %s', async (now, text, moment) => {
    const args = { operation: 'difference', start: text, end: 'now', from_zone: 'UTC' }
    const answered = await ask(args, now)
    expect(answered).toMatch(`From ${moment} UTC to `)
  })

  test.each(Object.entries(feasts).flatMap(([day, names]) => names.split(', ').map(name => [name, day])))(
    '%s is a date, even if its name ends in a part of the day',
    async (name, day) => {
      expect(await ask({ operation: 'weekday', time: `${name} 2026` })).toMatch(`2026-${day} is a `)
    },
  )
})

describe('a spoken time of day', () => {
  test.each([
    ['ten past 3 pm', '15:10'],
    ['half past 8pm', '20:30'],
    ['a quarter past 12 am', '00:15'],
    ['quarter to midnight', '23:45'],
    ['half past 14', '14:30'],
    ["three o'clock in the afternoon", '15:00'],
    ["3 o'clock pm", '15:00'],
    ['at 15', '15:00'],
    ['1500 zulu', '15:00'],
  ])('%s is %s', async (text, clock) => {
    const args = { operation: 'convert', time: text, from_zone: 'UTC', to_zones: ['UTC'] }
    expect(await ask(args)).toContain(`Friday 2026-11-20 ${clock} UTC = `)
  })
})

// Expected days are from Python's calendar and datetime.
describe('a day by its place', () => {
  test.each([
    ['first Monday of September 2026', '2026-09-07'],
    ['the second Tuesday of next month', '2026-12-08'],
    ['last Friday in May 2027', '2027-05-28'],
    ['5th Sunday of November', '2026-11-29'],
    ['last day of February 2028', '2028-02-29'],
    ['end of the month', '2026-11-30'],
    ['the end of the quarter', '2026-12-31'],
    ['last day of Q1 2027', '2027-03-31'],
    ['first day of next year', '2027-01-01'],
    ['last Sunday of 2026', '2026-12-27'],
    ['the 15th of next month', '2026-12-15'],
    ['last month', '2026-10-01'],
    ['last year', '2025-01-01'],
    ['last quarter', '2026-07-01'],
    ['the first of next month', '2026-12-01'],
    ['last of the month', '2026-11-30'],
    ['week 12 of 2026', '2026-03-16'],
    ['day 100 of 2026', '2026-04-10'],
    ['next week Monday', '2026-11-23'],
    ['Christmas next year', '2027-12-25'],
    ['4 July last year', '2025-07-04'],
    ['2026-Mar-01', '2026-03-01'],
    ['5. September 2026', '2026-09-05'],
    ['Friday 25 December', '2026-12-25'],
  ])('%s is %s', async (text, day) => {
    expect(await ask({ operation: 'weekday', time: text })).toMatch(`${day} is a `)
  })

  test.each([
    ['Friday', '2026-11-20 is a Friday', '"Friday" is read as Friday 2026-11-20.'],
    ['Monday', '2026-11-23 is a Monday', '"Monday" is read as Monday 2026-11-23.'],
    ['February 2028', '2028-02-01', 'No day was given: 2028-02-01 is assumed. February 2028 has 29 days.'],
    ['the year 2028', '2028-01-01', '2028 has 366 days: it is a leap year.'],
    ['end of 1900', '1900-12-31', '1900 has 365 days: it is no leap year.'],
    ['next month', '2026-12-01', 'No day was given: 2026-12-01 is assumed. December 2026 has 31 days.'],
  ])('%s is %s, with a note of what was assumed', async (text, day, note) => {
    const answered = await ask({ operation: 'weekday', time: text })
    expect(answered).toContain(day)
    expect(answered).toContain(note)
  })

  test.each([
    ['last Friday, November 20', 'Friday 2026-11-20 00:00'],
    ['first Monday of May 3pm', 'Monday 2026-05-04 15:00'],
  ])('%s is %s: what follows a period', async (text, moment) => {
    const args = { operation: 'convert', time: text, from_zone: 'UTC', to_zones: ['UTC'] }
    expect(await ask(args)).toContain(`${moment} UTC = `)
  })

  test('a weekday without a date is the next one, and counted from there', async () => {
    const args = { operation: 'difference', start: 'Monday', end: 'Friday' }
    expect(await ask(args)).toMatch(/^From Monday 2026-11-23 to Friday 2026-11-27\nCalendar: 4 days\n/)
  })
})

describe('Unix time', () => {
  // By Python's datetime.fromtimestamp.
  test.each([
    ['1700000000 ms', 'Tuesday 1970-01-20 16:13:20'],
    ['1700000000000', 'Tuesday 2023-11-14 22:13:20'],
    ['1700000000123 ms', 'Tuesday 2023-11-14 22:13:20.123'],
    ['unix timestamp 1700000000', 'Tuesday 2023-11-14 22:13:20'],
    ['@946684800', 'Saturday 2000-01-01 00:00'],
    ['timestamp 946684800 s', 'Saturday 2000-01-01 00:00'],
  ])('%s is %s', async (text, moment) => {
    expect(await ask({ operation: 'convert', time: text, to_zones: ['UTC'] })).toMatch(`${moment} UTC`)
  })
})

describe('a duration', () => {
  test.each([
    ['2 1/2 hours', '+ 2 hours 30 minutes = Sunday 2026-03-01 02:30'],
    ['2½ hours', '+ 2 hours 30 minutes = Sunday 2026-03-01 02:30'],
    ['1/2 an hour', '+ 30 minutes = Sunday 2026-03-01 00:30'],
    ['3/4 of an hour', '+ 45 minutes = Sunday 2026-03-01 00:45'],
    ['3/4 hour', '+ 45 minutes = Sunday 2026-03-01 00:45'],
    ['1/3 hour', '+ 20 minutes = Sunday 2026-03-01 00:20'],
    ['2⅓ hours', '+ 2 hours 20 minutes = Sunday 2026-03-01 02:20'],
    ['150/2 minutes', '+ 75 minutes = Sunday 2026-03-01 01:15'],
    ['6/3 days', '+ 2 days = Tuesday 2026-03-03'],
    ['2 and 3/10 minutes', '+ 2 minutes 18 seconds = Sunday 2026-03-01 00:02:18'],
    ['0 days', '+ 0 days = Sunday 2026-03-01'],
    ['half a day', '+ 12 hours = Sunday 2026-03-01 12:00'],
    ['1 1/2 days', '+ 1 day 12 hours = Monday 2026-03-02 12:00'],
    ['1.1 days', '+ 1 day 2 hours 24 minutes = Monday 2026-03-02 02:24'],
    ['4/3 days', '+ 1 day 8 hours = Monday 2026-03-02 08:00'],
    ['half a week', '+ 3 days 12 hours = Wednesday 2026-03-04 12:00'],
    ['1.5 years', '+ 1 year 6 months = Wednesday 2027-09-01'],
    ['a decade and a half', '+ 15 years = Friday 2041-03-01'],
    ['2.25 years', '+ 2 years 3 months = Thursday 2028-06-01'],
    ['a couple of days', '+ 2 days = Tuesday 2026-03-03'],
    ['1 day, 3:00:00', '+ 1 day 3 hours = Monday 2026-03-02 03:00'],
    ['01:30:05', '+ 1 hour 30 minutes 5 seconds = Sunday 2026-03-01 01:30:05'],
    ['1500 ms', '+ 1.5 seconds = Sunday 2026-03-01 00:00:01.5'],
    ['zero hours', '+ 0 hours = Sunday 2026-03-01'],
    ['P0D', '+ 0 days = Sunday 2026-03-01'],
    ['PT0S', '+ 0 seconds = Sunday 2026-03-01'],
  ])('of %s', async (duration, sum) => {
    const [line] = (await ask({ operation: 'add', time: '2026-03-01', duration })).split('\n')
    expect(line?.endsWith(sum), line).toBe(true)
  })
})

describe('bad input', () => {
  const weekday = (text: string) => ({ operation: 'weekday', time: text })
  const now = (...zones: string[]) => ({ operation: 'now', zones })
  const add = (duration: string, start = '2026-03-01') => ({ operation: 'add', time: start, duration })
  const convert = (text: string, from_zone = 'London') => ({
    operation: 'convert',
    time: text,
    from_zone,
    to_zones: ['Tokyo'],
  })
  test.each([
    [now('Toky'), 'Did you mean Tokyo'],
    [now('Asia/Tokio'), 'Did you mean Asia/Tokyo'],
    [now('Sidney'), 'Did you mean Sydney'],
    [now('Mars'), 'Unknown zone "Mars"'],
    [now('Mars/Phobos'), 'Write an IANA name'],
    [now(''), 'A zone is empty'],
    [now('x'.repeat(81)), 'too long (at most 80)'],
    [now('UTC+15'), 'from UTC-12:00 to UTC+14:00'],
    [now('UTC+5:75'), 'not an offset in use'],
    [now('-13:00'), 'not an offset in use'],
    [now('Etc/GMT+15'), 'Unknown zone'],
    [now('London, Xyzland'), 'Unknown zone'],
    [now('USA'), 'Eastern (America/New_York), Central (America/Chicago)'],
    [now('Russia'), '"Russia" has several time zones'],
    [now('Australia'), 'Perth (Australia/Perth)'],
    [now('DR Congo'), 'Lubumbashi (Africa/Lubumbashi)'],
    [now('Foo, Canada'), 'has several time zones'],
    [now(...Array<string>(21).fill('UTC')), '21 zones are too many'],
    [{ operation: 'convert', to_zones: ['Tokyo'] }, 'Operation "convert" needs "time"'],
    [{ operation: 'convert', time: 'now' }, 'Operation "convert" needs "to_zones"'],
    [{ operation: 'convert', time: '15:00', to_zones: ['Tokyo'] }, 'Operation "convert" needs "from_zone"'],
    [{ operation: 'difference', end: 'now' }, 'Operation "difference" needs "start"'],
    [{ operation: 'difference', start: 'now' }, 'Operation "difference" needs "end"'],
    [{ operation: 'add', duration: '1 day' }, 'Operation "add" needs "time"'],
    [{ operation: 'add', time: 'now' }, 'Operation "add" needs "duration"'],
    [{ operation: 'weekday' }, 'Operation "weekday" needs "time"'],
    [convert('25:00'), 'Hour 25 does not exist'],
    [convert('12:60'), 'Minute 60 does not exist'],
    [convert('12:00:61'), 'Second 61 does not exist'],
    [convert('2016-12-31T23:59:60'), 'Leap seconds'],
    [convert('13pm'), 'hours run from 1 to 12'],
    [convert('0am'), 'hours run from 1 to 12'],
    [convert('15'), 'Cannot read "15" as a time'],
    [convert('soon'), 'Cannot read "soon" as a time'],
    [convert('15:00 Xyz'), 'Cannot read "xyz" in "15:00 Xyz"'],
    [convert('15:00 Tokio2'), 'Did you mean Tokio'],
    [convert(' '), 'A time is empty'],
    [convert('1'.repeat(101)), 'too long (at most 100)'],
    [convert('2026-07-01T15:00-05:00[America/New_York]'), 'the offset and the zone disagree'],
    [convert('15:00', 'Brazil'), '"Brazil" has several time zones'],
    [convert('9999-12-31 23:00', 'UTC'), 'outside the years 0001 to 9999'],
    [convert('@999999999999'), 'outside the years 0001 to 9999'],
    [convert('tonight'), '"tonight" has no time of day: write "8 tonight".'],
    [convert('this evening in Tokyo'), 'write "8 this evening in Tokyo"'],
    [convert('tomorrow afternoon'), 'write "3 tomorrow afternoon"'],
    [convert('2026-03-05 at night'), 'write "8 2026-03-05 at night"'],
    [{ operation: 'difference', start: 'now', end: 'tonight' }, 'has no time of day'],
    [
      { operation: 'difference', start: 'today', end: 'Tokyo' },
      '"Tokyo" is a place and "today" a time: give two of one kind.',
    ],
    [{ operation: 'difference', start: 'Tokyo', end: 'Lodnon' }, 'Unknown zone "Lodnon"'],
    [add('1 hour', 'last night'), 'has no time of day'],
    [convert('tonight at 8am'), '"8am" does not go with "night": write the day and 08:00.'],
    [convert('tonight at 08:30am'), '"08:30am" does not go with "night": write the day and 08:30.'],
    [convert('13:30 this morning'), '"13:30" does not go with "morning": write the day and 13:30.'],
    [convert('tonight at 2'), '"2" does not go with "night": write the day and 02:00 or 14:00.'],
    [convert('12 in the evening'), '"12" does not go with "evening": write the day and 00:00 or 12:00.'],
    [convert('1:15pm this morning'), '"1:15pm" does not go with "morning": write the day and 13:15.'],
    [convert('3 this evening'), '"3" does not go with "evening": write the day and 03:00 or 15:00.'],
    [convert('noon, 20260301, Paris, Texas'), 'Cannot read "20260301, paris, texas"'],
    [convert("today at 5 o'clock, Paris, Texas"), 'may be 05:00 or 17:00'],
    [weekday('last Monday 1500 hours Xyz'), 'Cannot read "xyz"'],
    [convert('now tonight'), 'Cannot read "now tonight": it is neither'],
    [convert('the evening of 24 December'), 'write "8 the evening of 24 December"'],
    [convert('good morning'), 'Cannot read "good morning" as a time'],
    [convert('tomorrow at 8'), '"8" may be 08:00 or 20:00: write one of them.'],
    [convert("3 o'clock"), '"3 o\'clock" may be 03:00 or 15:00'],
    [convert('half past eight'), '"half past eight" may be 08:30 or 20:30'],
    [weekday('03/04/2026'), 'may be 2026-03-04 or 2026-04-03'],
    [weekday('3.4.26'), 'two-digit year'],
    [weekday("March '26"), 'two-digit year'],
    [weekday('03/0/2026'), '2026-03-00 does not exist: March 2026 has 31 days'],
    [weekday('@999999999999'), 'outside the years 0001 to 9999'],
    [weekday('13/13/2026'), 'Month 13 does not exist'],
    [weekday('2026-02-29'), '2026-02-29 does not exist: February 2026 has 28 days'],
    [weekday('1900-02-29'), 'February 1900 has 28 days'],
    [weekday('2026-04-31'), 'April 2026 has 30 days'],
    [weekday('February 30, 2024'), 'February 2024 has 29 days'],
    [weekday('29 February'), 'No year was given, so 2026 is assumed. 2026-02-29 does not exist'],
    [weekday('April 31'), 'so 2026 is assumed. 2026-04-31 does not exist: April 2026 has 30 days.'],
    [weekday('fifth Monday of February 2026'), '"fifth monday of february 2026" does not exist.'],
    [weekday('Monday 25 December'), '2026-12-25 is a Friday, not a Monday: correct one of them.'],
    [weekday('2026-00-10'), 'Month 0 does not exist'],
    [weekday('0000-01-01'), 'years run from 0001 to 9999'],
    [weekday('12026-01-01'), 'years 0001 to 9999 in four digits'],
    [weekday('2026-W54-1'), 'ISO week 54 does not exist in 2026'],
    [weekday('2025-W53-1'), 'ISO week 53 does not exist in 2025'],
    [weekday('2026-366'), 'Day 366 does not exist in 2026'],
    [weekday('Monday 2026-03-01'), '2026-03-01 is a Sunday, not a Monday'],
    [add('soon'), 'Cannot read "soon" in the duration'],
    [add(''), 'A duration is empty'],
    [add('5'), 'Cannot read "5" in the duration'],
    [add('3 parsecs'), 'Cannot read "3 parsecs"'],
    [add('P'), 'in the duration "P"'],
    [add('P1DT'), 'not an ISO 8601 duration'],
    [add('1 month -2 days'), 'Write one sign, in front of the whole'],
    [add('3.5 business days'), 'A fraction of business days'],
    [add('1 week 3 business days'), 'Business days do not combine with other units'],
    [add('1.5 months'), 'A fraction of months has no fixed length'],
    [add('1.3 years'), 'A fraction of months has no fixed length ("1.3 years")'],
    [add('1/7 hour'), '"1/7 hour" is not a whole number of nanoseconds: write it in smaller units.'],
    [add('1/7 day'), '"1/7 day" is not a whole number of nanoseconds'],
    [add('1:30'), 'Cannot read "1:30"'],
    [add('2 5/2 hours'), 'Cannot read "2 5/2 hours"'],
    [add('2.5 1/2 hours'), 'Cannot read "2.5 1/2 hours"'],
    [add('1/0 hours'), 'Cannot read "1/0 hours"'],
    [add('999999999999 days'), 'too long'],
    [add('9000 years'), 'outside the years 0001 to 9999'],
    [add('90000000000 days'), 'outside the years 0001 to 9999'],
    [add('-2026 years'), 'outside the years 0001 to 9999'],
    [add('1 day '.repeat(20)), 'too long (at most 100)'],
  ])('%j', async (args, says) => {
    const error = await failure(args)
    expect(error).toBeInstanceOf(ToolError)
    expect((error as ToolError).message).toContain(says)
  })

  test('an unknown operation does not get past the schema', async () => {
    await expect(time.invoke({ operation: 'sing' } as never)).rejects.toThrow(ToolInputParsingException)
  })

  test('a thousand random texts, as any member, give an answer or a ToolError', {
    timeout: 30_000,
  }, async () => {
    const random = randomness(20261120)
    const pieces = [
      '2026',
      '-',
      ':',
      '03',
      'T',
      ' ',
      'pm',
      'Z',
      '+',
      '[',
      ']',
      '(',
      'P',
      '1',
      'D',
      'March',
      ',',
      '/',
      '99',
    ]
    const more = [
      'London',
      'EST',
      'UTC',
      '\u0000',
      'é',
      '\u{1f600}',
      'now',
      'today',
      'minus',
      'week',
      '.',
      'Etc/GMT',
      '\\',
      '$',
    ]
    const all = [...pieces, ...more]
    const text = () =>
      Array.from({ length: 1 + Math.floor(random() * 8) }, () => all[Math.floor(random() * all.length)]).join(
        '',
      )
    const operations = ['now', 'convert', 'difference', 'add', 'weekday']
    for (let round = 0; round < 1000; round += 1) {
      const maybe = (usual: string) => (random() < 0.6 ? text() : usual)
      const args = {
        operation: operations[round % operations.length],
        zones: [maybe('Tokyo')],
        time: maybe('now'),
        from_zone: maybe('Paris'),
        to_zones: [maybe('UTC')],
        start: maybe('2026-03-01'),
        end: maybe('today'),
        duration: maybe('1 month'),
      }
      const result = await failure(args)
      if (typeof result !== 'string') expect(result, JSON.stringify(args)).toBeInstanceOf(ToolError)
    }
  })

  test('long runs of one character are refused at once', { timeout: 30_000 }, async () => {
    const begun = process.cpuUsage()
    for (const part of ['1', ' ', '-', 'a', '1 ', '(', '[', '1:', 'a day ', 'march ', '+1', '\u0301']) {
      const long = part.repeat(50_000)
      for (const member of ['time', 'start', 'end', 'duration', 'from_zone', 'zones']) {
        for (const operation of ['now', 'difference', 'add']) {
          await failure({
            operation,
            time: 'now',
            start: 'now',
            end: 'now',
            duration: '1 day',
            [member]: long,
          })
        }
      }
    }
    const { user } = process.cpuUsage(begun)
    expect(user / 1e6).toBeLessThan(3)
  })
})

describe('zones and cities', { timeout: 30_000 }, () => {
  const capitals =
    'Abu Dhabi, Abuja, Accra, Addis Ababa, Algiers, Amman, Amsterdam, Andorra la Vella, Ankara, Antananarivo, Apia, ' +
    'Ashgabat, Asmara, Astana, Asunción, Athens, Baghdad, Baku, Bamako, Bandar Seri Begawan, Bangkok, Bangui, Banjul, ' +
    'Basseterre, Beijing, Beirut, Belgrade, Belmopan, Berlin, Bern, Bishkek, Bissau, Bogotá, Brasília, Bratislava, ' +
    'Brazzaville, Bridgetown, Brussels, Bucharest, Budapest, Buenos Aires, Gitega, Cairo, Canberra, Caracas, Castries, ' +
    'Chișinău, Colombo, Conakry, Copenhagen, Dakar, Damascus, Dhaka, Dili, Djibouti, Dodoma, Doha, Dublin, Dushanbe, ' +
    'Freetown, Funafuti, Gaborone, Georgetown, Guatemala City, Hanoi, Harare, Havana, Helsinki, Honiara, Islamabad, ' +
    'Jakarta, Jerusalem, Juba, Kabul, Kampala, Kathmandu, Khartoum, Kigali, Kingston, Kingstown, Kinshasa, Kuala Lumpur, ' +
    'Kuwait City, Kyiv, La Paz, Libreville, Lilongwe, Lima, Lisbon, Ljubljana, Lomé, London, Luanda, Lusaka, Luxembourg, ' +
    'Madrid, Majuro, Malabo, Malé, Managua, Manama, Manila, Maputo, Maseru, Mbabane, Mexico City, Minsk, Mogadishu, ' +
    "Monaco, Monrovia, Montevideo, Moroni, Moscow, Muscat, Nairobi, Nassau, Naypyidaw, N'Djamena, New Delhi, Niamey, " +
    "Nicosia, Nouakchott, Nuku'alofa, Oslo, Ottawa, Ouagadougou, Palikir, Panama City, Paramaribo, Paris, Phnom Penh, " +
    'Podgorica, Port Louis, Port Moresby, Port Vila, Port-au-Prince, Port of Spain, Porto-Novo, Prague, Praia, Pretoria, ' +
    'Pristina, Pyongyang, Quito, Rabat, Reykjavik, Riga, Riyadh, Rome, Roseau, San José, San Marino, San Salvador, ' +
    "Sana'a, Santiago, Santo Domingo, São Tomé, Sarajevo, Seoul, Singapore, Skopje, Sofia, Sri Jayawardenepura Kotte, " +
    'Stockholm, Sucre, Suva, Taipei, Tallinn, Tarawa, Tashkent, Tbilisi, Tegucigalpa, Tehran, Thimphu, Tirana, Tokyo, ' +
    'Tripoli, Tunis, Ulaanbaatar, Vaduz, Valletta, Vatican City, Victoria, Vienna, Vientiane, Vilnius, Warsaw, ' +
    "Washington, Wellington, Windhoek, Yamoussoukro, Yaoundé, Yaren, Yerevan, Zagreb, Ngerulmud, Saint George's, " +
    "St. John's, Bujumbura"

  test('every capital is known, and known to Intl', () => {
    for (const city of capitals.split(', '))
      expect(findZone(city)?.readings.length ?? 0, city).toBeGreaterThan(0)
  })

  test('every city is found under each of its names, in a zone that exists', () => {
    const names = [...placeIndex().names.values()]
    expect(new Set(names).size).toBeGreaterThan(900)
    const ids = new Set<string>()
    for (const name of names) {
      const readings = findZone(name)?.readings ?? []
      expect(readings.length, name).toBeGreaterThan(0)
      for (const { id } of readings) ids.add(id)
    }
    for (const id of ids) expect(() => new Intl.DateTimeFormat('en', { timeZone: id }), id).not.toThrow()
  })

  test('every zone that Intl lists is read as itself or under its present name', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const [zone] = findZone(name)?.readings ?? []
      expect(zone, name).toBeDefined()
      const same = new Intl.DateTimeFormat('en', { timeZone: zone?.id }).resolvedOptions().timeZone
      if (name.includes('/')) expect(same).toBe(name)
    }
  })

  test.each([
    ['Tokyo', 'city'],
    ['Japan', 'country'],
    ['JST', 'abbreviation'],
    ['Asia/Tokyo', 'name'],
    ['UTC+9', 'offset'],
  ])('%s is recognised as %s', (text, kind) => {
    expect(findZone(text)?.kind).toBe(kind)
  })

  test.each([
    '',
    ' ',
    'hello',
    'same',
    'tell',
    'the',
    'what time is it',
    'Asia/',
    '/',
    '12',
    'x'.repeat(1000),
    '\u0000',
    '[',
  ])('%j names no zone', text => {
    expect(findZone(text)).toBeUndefined()
  })

  test.each(['BST', 'IST', 'EST', 'ACT', 'ECT', 'AST', 'SST'])('%s is not read as Intl would', short => {
    const wrong = [
      'Asia/Dhaka',
      'Asia/Calcutta',
      'Asia/Kolkata',
      'America/Panama',
      'Australia/Darwin',
      'Europe/Paris',
    ]
    for (const { id } of findZone(short)?.readings ?? []) expect(wrong).not.toContain(id)
    expect(findZone(short)?.kind).toBe('abbreviation')
  })

  test('a city is told from its namesakes by what follows it', () => {
    const zoneOf = (text: string) => findZone(text)?.readings.map(({ id }) => id)
    expect(zoneOf('Springfield, MA')).toEqual(['America/New_York'])
    expect(zoneOf('Austin TX')).toEqual(['America/Chicago'])
    expect(zoneOf('Atlanta, Georgia')).toEqual(['America/New_York'])
    expect(zoneOf('Detroit, USA')).toEqual(['America/Detroit'])
    expect(zoneOf('San Francisco, California, USA')).toEqual(['America/Los_Angeles'])
    expect(zoneOf('Paris, Île-de-France, France')).toEqual(['Europe/Paris'])
    expect(zoneOf('Paris, France')).toEqual(['Europe/Paris'])
    expect(zoneOf('Paris, Texas')).toEqual(['America/Chicago'])
    expect(zoneOf('Paris Texas')).toEqual(['America/Chicago'])
    expect(zoneOf('Nice in')).toBeUndefined()
    expect(zoneOf('New York Texas')).toBeUndefined()
    expect(findZone('Paris, Texas')?.notes[0]).toContain('not in the table of cities')
    expect(zoneOf('Birmingham, Alabama')).toEqual(['America/Chicago'])
    expect(zoneOf('Bombay, India')).toEqual(['Asia/Kolkata'])
    expect(zoneOf('Sidney, Nebraska')).toEqual(['America/Denver'])
    expect(zoneOf('Tenerife, Spain')).toEqual(['Atlantic/Canary'])
    expect(zoneOf('Easter Island, Chile')).toEqual(['Pacific/Easter'])
    expect(zoneOf('Springfield, Ohio')).toEqual(['America/New_York'])
    expect(findZone('Tokyo London')).toBeUndefined()
  })

  test('a city that comes near another of its name is answered or noted with it', () => {
    expect(findZone('Toledo')).toMatchObject({
      readings: [{ id: 'America/New_York', label: 'Toledo, Ohio' }],
      notes: ['"Toledo" is read as Toledo, Ohio; Toledo, Spain is Europe/Madrid.'],
    })
    expect(findZone('Aurora')?.readings.map(({ id }) => id)).toEqual(['America/Denver', 'America/Chicago'])
    expect(findZone('Valencia')?.readings.map(({ id }) => id)).toEqual(['Europe/Madrid'])
  })

  test('a town that is in no table has each of the clocks that its state keeps', () => {
    const found = findZone('Nowhere, Idaho')
    expect(found?.readings.map(({ id }) => id)).toEqual(['America/Boise', 'America/Los_Angeles'])
    expect(found?.notes).toEqual([
      '"Nowhere, Idaho" is not in the table of cities: the time in each zone of Idaho is given.',
    ])
  })

  test.each([
    ['Ciudad Juárez', 'America/Ciudad_Juarez'],
    ['Lhasa', 'Asia/Shanghai'],
    ['Punta Arenas', 'America/Punta_Arenas'],
    ['Maoming', 'Asia/Shanghai'],
    ['Perm', 'Asia/Yekaterinburg'],
  ])('%s, which the library has in another zone or in none', (city, id) => {
    expect(findZone(city)?.readings).toEqual([{ id, label: city, detail: id }])
  })
})

/** The same numbers from 0 to 1 on every run (mulberry32). */
function randomness(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
