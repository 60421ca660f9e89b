import { readFileSync } from 'node:fs'
import { guardTool, ScriptedModel } from '@agent-task-service/engine/testing'
import { ToolError } from '@agent-task-service/engine/tool'
import { answerTime, type TimeArguments } from '@agent-task-service/starter/time'
import { createTime } from '@agent-task-service/test-support/agent/tools'
import { testService } from '@agent-task-service/test-support/service'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'

interface Case {
  name: string
  /** When it is asked, if not at the time of all. */
  now?: string
  args: TimeArguments
  /** What comes before the notes, exactly. */
  lines: string[]
  /** Texts that the notes must hold. */
  notes: string[]
}

const data = JSON.parse(readFileSync(new URL('./data/time.json', import.meta.url), 'utf8')) as {
  now: string
  cases: Case[]
}
const time = createTime(() => Date.parse(data.now))

/** The first line of what time it is there. */
const now = async (zone: string) => (await ask({ operation: 'now', zone })).split('\n')[0]!

function ask(args: Record<string, unknown>, now = data.now): Promise<string> {
  return answerTime(args as TimeArguments, Date.parse(now))
}

/** What the tool throws, or what it answered when it should have thrown. */
async function failure(args: Record<string, unknown>): Promise<unknown> {
  return ask(args).catch((error: unknown) => error)
}

describe('answers worked out by Python', () => {
  test.each(data.cases)('$name', async ({ now, args, lines, notes }) => {
    const answered = (await ask({ ...args }, now)).split('\n')
    const said = answered.filter(line => line.startsWith('Note: '))
    expect(answered.filter(line => !line.startsWith('Note: '))).toEqual(lines)
    for (const note of notes) expect(said.join('\n')).toContain(note)
    if (notes.length === 0 && args.operation === 'now') expect(said).toEqual([])
  })
})

test('what a model reads about the tool stays short', () => {
  const offered = convertToOpenAITool(time)
  expect(countTokens(JSON.stringify(offered))).toBeLessThanOrEqual(190)
  expect(offered.function.parameters).not.toHaveProperty('$schema')
})

describe('facts beside the readings', () => {
  const convert = (text: string, zone?: string) =>
    ask({ operation: 'convert', time: text, zone, to_zones: ['UTC'] })

  test('a repeated time with its offset happens once', async () => {
    expect(await convert('2026-11-01T01:30-05:00')).toBe(
      'Sunday 2026-11-01 01:30 UTC-05:00 = Sunday 2026-11-01 06:30 UTC',
    )
  })

  test('a time with its own zone is not read in another', async () => {
    expect(await convert('2026-03-01T15:00Z', 'Tokyo')).toBe(
      'Sunday 2026-03-01 15:00 UTC = Sunday 2026-03-01 15:00 UTC\n' +
        'Note: The time names its own zone, UTC, so "Tokyo" is ignored: "to_zones" shows others.',
    )
  })

  test('a date is read as the start of the day, which a clock change may delay', async () => {
    expect(await convert('2018-11-04', 'Sao Paulo')).toContain('Sunday 2018-11-04 01:00 Sao Paulo')
  })

  test('a time of day that a clock change gives twice is counted from the first', async () => {
    const args = { operation: 'difference', time: '2026-10-25 01:30', end: '02:30', zone: 'London' }
    expect(await ask(args)).toMatch(
      /Total: 2 hours = .*\nNote: .* happens twice in London: the first, at UTC\+01:00, is taken\. For the second write 2026-10-25T01:30\+00:00\.$/m,
    )
  })

  test('without a zone, clock changes do not count, and that is said', async () => {
    const args = { operation: 'difference', time: '2026-03-28 12:00', end: '2026-03-29 12:00' }
    expect(await ask(args)).toMatch(/Total: 1 day = 24 hours.*\nNote: No zone was named/)
  })

  test('a date that only the present makes sense of is that of UTC, and that is said', async () => {
    expect(await ask({ operation: 'now' })).toMatch(
      /^UTC: Friday 2026-11-20 23:18:03 UTC\+00:00\nNote: No zone/,
    )
    const args = { operation: 'difference', time: '2026-11-01 12:00 Tokyo', end: 'noon tomorrow' }
    expect(await ask(args)).toContain('Note: A time without a zone is read as UTC: name its place.')
  })

  test('a date counts by dates beside a moment of another zone too, by the clock where the date is', async () => {
    const args = { operation: 'difference', time: 'now Tokyo', end: '2026-12-24 Honolulu' }
    expect(await ask(args)).toContain('\nBy dates: 34 days = 4 weeks, 6 days\n')
    expect(await ask({ ...args, end: '2026-12-24' })).toContain('\nBy dates: 33 days = 4 weeks, 5 days\n')
    expect(await ask({ ...args, end: '2026-12-24 12:00 Honolulu' })).not.toContain('By dates')
  })

  test('business days keep the time of day', async () => {
    const args = { operation: 'add', time: '2026-11-27 17:00 London', duration: '5 business days' }
    expect(await ask({ ...args, to_zones: ['Tokyo'] })).toMatch(
      / \+ 5 business days = Friday 2026-12-04 17:00 London .* = Saturday 2026-12-05 02:00 Tokyo/,
    )
  })

  test.each([
    ['P3M', '3 months'],
    ['-P6M', '6 months'],
    ['3m', '3 minutes'],
    ['2H 30M', '2 hours 30 minutes'],
    ['6 MONTHS', '6 months'],
  ])('M in %s is one thing only', async (duration, shown) => {
    expect(await ask({ operation: 'add', time: '2026-03-01T15:00', duration, zone: 'UTC' })).toContain(shown)
  })

  test.each([
    ['in 3 days', 'Monday 2026-11-23 23:18 UTC'],
    ['the day after tomorrow', '2026-11-22 is a Sunday.'],
    ['5 business days after 2026-11-27', '2026-12-04 is a Friday.'],
    ['2 weeks before 28.11.2026', '2026-11-14 is a Saturday.'],
    ['5 hours after 2026-03-01', 'Sunday 2026-03-01 05:00'],
    ['2026-03-01 15:00 Tokyo minus 90 minutes', 'Sunday 2026-03-01 13:30 Tokyo'],
  ])('what passes until a moment names it: %s', async (text, answer) => {
    expect(await ask({ operation: 'convert', time: text }, '2026-11-20T23:18:00Z')).toContain(answer)
  })

  test('a date with two meanings is read in the order of the other end, or of the task', async () => {
    const args = { operation: 'difference', time: '3/4/2026', end: '28/11/2026' }
    expect(await ask(args)).toMatch(
      /^From Friday 2026-04-03 to .*\nNote: "3\/4\/2026" is read as 2026-04-03, in the order of "28\/11\/2026"\.$/s,
    )
    expect(await ask({ ...args, end: '11/28/2026' })).toMatch(/^From Wednesday 2026-03-04 to/)
    for (const end of ['28.11.2026', '2026-11-28', '5/6/2026'])
      expect(await failure({ ...args, end })).toMatchObject({
        message: '"3/4/2026" has two meanings: write 2026-04-03 or 2026-03-04.',
      })
  })

  test.each([
    ['The fair ends on 28/11/2026.', '2026-04-03 is a Friday.'],
    ['Not 28/11/2026, but 11/28/2026.', '"3/4/2026" has two meanings'],
    ['The fair ends on 28.11.2026.', '"3/4/2026" has two meanings'],
  ])('dates of the task settle one with two meanings: %s', async (task, answer) => {
    const call = { name: 'time', args: { operation: 'convert', time: '3/4/2026' } }
    const model = new ScriptedModel([{ toolCalls: [call] }, 'Done.'])
    const { run } = await testService({}, { models: [model.named()], tools: [time] })
    await run(task)
    expect(model.requests.at(-1)!.messages.find(({ type }) => type === 'tool')?.text).toContain(answer)
  })

  test('Unix time is given when asked for', async () => {
    expect(await ask({ operation: 'now', zone: 'Unix' })).toBe('Unix 1795216683')
  })

  test.each([
    [{ operation: 'now', zone: 'now', to_zones: ['Tokyo'] }, /^Tokyo \(Asia/],
    [{ operation: 'add', zone: 'Now', duration: '1 hour' }, /2026-11-2/],
    [{ operation: 'convert', zone: 'now', to_zones: ['Tokyo'] }, /Tokyo/],
  ])('a zone cannot be "now", so it is the time: %j', async (args, answer) => {
    expect(await ask(args)).toMatch(answer)
    await expect(ask({ operation: 'difference', time: 'now', zone: 'now' })).rejects.toThrow(
      'needs "time", "end"',
    )
  })
})

describe('members', () => {
  test('null, a bare text and empty members are taken for what models mean by them', async () => {
    const args = { operation: 'now', to_zones: 'Tokyo', time: null, end: '', duration: '' }
    expect(await guardTool(time).invoke(args)).toBe(
      'Tokyo (Asia/Tokyo): Saturday 2026-11-21 08:18:03 UTC+09:00',
    )
  })

  test.each([
    [
      { operation: 'now', timezone: 'Tokyo' },
      { operation: 'now', zone: 'Tokyo' },
    ],
    [
      { operation: 'now', time: 'now', zone: 'Tokyo' },
      { operation: 'now', zone: 'Tokyo' },
    ],
    [
      { operation: 'difference', start: 'now', end_date: '2026-12-24' },
      { operation: 'difference', time: 'now', end: '2026-12-24' },
    ],
    [
      { operation: 'convert', datetime: '15:00', from_zone: 'London', to_zone: 'Tokyo' },
      { operation: 'convert', time: '15:00', zone: 'London', to_zones: ['Tokyo'] },
    ],
    [
      { operation: 'add', date: '2026-03-01', amount: '3 days' },
      { operation: 'add', time: '2026-03-01', duration: '3 days' },
    ],
  ])('%j is read by other names of its members', async (args, own) => {
    expect(await guardTool(time).invoke(args)).toBe(await ask(own))
  })

  test.each([
    [
      { operation: 'now', time_of_day: 'noon' },
      'There is no "time_of_day" here: "now" may have "zone", "to_zones".',
    ],
    [
      { operation: 'difference', time: 'now', start: 'Monday', end: 'Friday' },
      'There is no "start" here: "difference" needs "time", "end", and may have "zone".',
    ],
    [{ operation: 'difference', time: 'now', end: 'Friday', to_zone: 'Tokyo' }, 'There is no "to_zone" here'],
    [{ operation: 'convert', zone: 'Tokyo', tz: 'Paris', time: 'now' }, 'There is no "tz" here'],
    [{ operation: 'add', time: 'now', amount: 3 }, '"add" needs "time", "duration"'],
    [
      { operation: 'add', time: 'now', days: 3 },
      '"add" needs "time", "duration", and may have "zone", "to_zones".',
    ],
    [{ operation: 'now', calendar: 'julian' }, 'There is no "calendar" here: "now" may have'],
    [
      { operation: 'convert', time: 'now', duration: '1 day' },
      '"convert" needs "time", and may have "zone", "to_zones".',
    ],
    [{ operation: 'convert', to_zones: ['Tokyo'] }, '"convert" needs "time"'],
    [{ operation: 'convert', time: '15:00', to_zones: ['Tokyo'] }, '"convert" needs "zone"'],
    [{ operation: 'difference', time: 'now' }, '"difference" needs "time", "end"'],
    [{ operation: 'add', time: 'now' }, '"add" needs "time", "duration"'],
    [{ operation: 'now', to_zones: Array(21).fill('UTC') }, '21 zones are too many'],
  ])('%j is refused', async (args, says) => {
    await expect(guardTool(time).invoke(args)).rejects.toThrow(says)
    await expect(guardTool(time).invoke(args)).rejects.toThrow(ToolError)
  })
})

describe('what is not read gets the form to write', () => {
  const convert = (text: string, zone = 'London') => ({ operation: 'convert', time: text, zone })
  const now = (zone: string) => ({ operation: 'now', zone })
  const add = (duration: string, start = '2026-03-01') => ({ operation: 'add', time: start, duration })
  const FORM = 'Write 2026-03-01T15:00, "March 1, 2026 3pm"'
  // EVIDENCE-OF docs/reference/threat-model.md: | | An expression or a date never finishes |
  test.each([
    [now('Toky'), 'Unknown zone "Toky". Write an IANA name (Asia/Tokyo), a city'],
    [now('x'.repeat(81)), 'too long (at most 80)'],
    [now('UTC+15'), 'from UTC-12:00 to UTC+14:00'],
    [now('IST'), 'Unknown zone "IST"'],
    [now('London, Xyzland'), 'Unknown zone'],
    [now('Paris, Texas'), 'Unknown zone "Paris, Texas". Write an IANA name'],
    [convert('soon'), FORM],
    [convert('Christmas'), FORM],
    [convert('next month'), FORM],
    [convert('2026-W09-7'), FORM],
    [convert('second Tuesday of January 2027'), FORM],
    [convert('13/13/2026'), 'Month 13 does not exist'],
    [convert('02/30/2026'), '2026-02-30 does not exist: February 2026 has 28 days'],
    [convert('12.08.2026'), '"12.08.2026" has two meanings: write 2026-08-12 or 2026-12-08.'],
    [convert('Monday 2026-12-25'), '2026-12-25 is a Friday, not a Monday: correct one of them.'],
    [convert('05/03/2026 3pm'), '"05/03/2026" has two meanings: write 2026-03-05 or 2026-05-03.'],
    [convert('Monday 05/03/2026'), '"05/03/2026" has two meanings'],
    [convert('last Monday'), '"last Monday" has two meanings: write 2026-11-16 or 2026-11-09.'],
    [convert('Easter Monday'), 'Cannot read "easter". Write 2026-03-01T15:00'],
    [convert('noon Christmas'), 'Cannot read "christmas"'],
    [convert('the first Friday of July'), 'Cannot read "the first" and "of july"'],
    [convert('asap 3pm Tokyo'), 'Cannot read "asap"'],
    [convert('2 weeks before Christmas'), 'Cannot read "christmas"'],
    [convert('1-2-2026 15:00'), '"1-2-2026" has two meanings: write 2026-02-01 or 2026-01-02.'],
    [convert('32.08.2026'), '2026-08-32 does not exist'],
    [convert('2026-03-01T24:00'), '"t24:00" is not a time of day: hours run from 00 to 23'],
    [convert('25:00'), '"25:00" is not a time of day: hours run from 00 to 23'],
    [convert('13pm'), 'with am or pm, hours run from 1 to 12'],
    [convert('15:00 Xyz'), 'Cannot read "xyz". Write 2026-03-01T15:00'],
    [convert("March 1, '26"), FORM],
    [convert('2026-03-01 2026-03-02'), FORM],
    [convert('1'.repeat(101)), 'too long (at most 100)'],
    [convert('2026-07-01T15:00-05:00[America/New_York]'), 'Cannot read "-05:00[america/new_york]"'],
    [convert('2026-07-01T15:00[America/New_York]'), 'Cannot read "[america/new_york]"'],
    [convert('2026-02-29'), '2026-02-29 does not exist: February 2026 has 28 days'],
    [convert('April 31'), '2026-04-31 does not exist: April 2026 has 30 days.'],
    [
      convert('Monday 25 December'),
      '2026-12-25 is a Friday, not a Monday: correct one of them, or write the year.',
    ],
    [convert('2026-00-10'), 'Month 0 does not exist'],
    [convert('2026-03-00'), '2026-03-00 does not exist: March 2026 has 31 days'],
    [convert('March 0'), '03-00 does not exist'],
    [convert('0000-01-01'), 'years run from 0001 to 9999'],
    [
      { operation: 'convert', time: '9999-12-31 23:00', zone: 'UTC', to_zones: ['Tokyo'] },
      'outside the years 0001 to 9999',
    ],
    [add('1 hour 1 hour'), 'Cannot read "1 hour". Write it as'],
    [add('PT1H1H'), 'Cannot read "pt1h1h"'],
    [add('P1M2D3M'), 'Cannot read "p1m2d3m"'],
    [add('3M'), '"M" may be months or minutes: write "3 months" or "3 minutes".'],
    [add('-6 M'), '"M" may be months or minutes'],
    [add('1Y 6M'), '"M" may be months or minutes'],
    [add('6M 1D'), '"M" may be months or minutes'],
    [add('6M ago'), '"M" may be months or minutes'],
    [convert('in 6M'), '"M" may be months or minutes'],
    [add('soon'), 'Write it as "3 days 4 hours"'],
    [add('3 days ago'), 'Cannot read "ago". Write it as'],
    [add('a few days'), 'Cannot read "a few days"'],
    [add('days'), 'Cannot read "days"'],
    [add('1.5 days'), 'Write it as'],
    [add('1 month -2 days'), 'Write it as'],
    [add('2 weeks 5 business days'), 'Write it as'],
    [add('1.5 business days'), 'Write it as'],
    [add('9999999999 business days'), 'outside the years 0001 to 9999'],
    [add('9000 years'), 'outside the years 0001 to 9999'],
    [add('1 day '.repeat(20)), 'too long (at most 100)'],
  ])('%j', async (args, says) => {
    const error = await failure(args)
    expect(error).toBeInstanceOf(ToolError)
    expect((error as ToolError).message).toContain(says)
  })
})

describe('zones and cities', { timeout: 30_000 }, () => {
  test.each([
    'Addis Ababa, Andorra la Vella, Bandar Seri Begawan, Bogotá, Brasília, Chișinău, Funafuti, Guatemala City, Kyiv',
    "Lomé, Malé, Naypyidaw, N'Djamena, Nuku'alofa, Port-au-Prince, San José, Sana'a",
    "Vatican City, Yamoussoukro, Yaoundé, St. John's, Gitega",
  ])('knows the capitals %s', async cities => {
    for (const city of cities.split(', ')) expect(await now(city)).toContain('(')
  })

  test('every zone that Intl lists is read as itself', async () => {
    for (const name of Intl.supportedValuesOf('timeZone').filter(id => id.includes('/')))
      expect(await now(name)).toContain(`(${name})`)
  })

  test.each([
    ' ',
    'hello',
    'same',
    'Easter',
    'Christmas',
    'Asia/',
    '12',
    '\u0000',
    'BST',
    'CST',
    'ACT',
    'AST',
    'EST5EDT',
  ])('%j names no zone', async text => {
    await expect(now(text)).rejects.toThrow(ToolError)
  })

  test.each([
    ['Detroit, USA', 'America/Detroit'],
    ['San Francisco, California, USA', 'America/Los_Angeles'],
    ['Sidney, Nebraska', 'America/Denver'],
    ['Vancouver, BC', 'America/Vancouver'],
    ['Easter Island', 'Pacific/Easter'],
    ['Christmas Island', 'Indian/Christmas'],
    ['Washington, DC', 'America/New_York'],
    ['Washington, D.C., USA', 'America/New_York'],
    // The library has these in another zone, or in none.
    ['Ciudad Juárez', 'America/Ciudad_Juarez'],
    ['Lhasa, China', 'Asia/Shanghai'],
    ['Natal', 'America/Fortaleza'],
    ['Perm', 'Asia/Yekaterinburg'],
  ])('%s is in %s', async (text, id) => {
    expect(await now(text)).toContain(`(${id})`)
  })
})
