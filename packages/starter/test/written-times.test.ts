/** Times as people write them, drawn with what they mean: each is read as that, or refused with what is none of it. */
import { answerTime } from '@agent-task-service/starter/time'
import { crowd } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'

const DAY = 86_400_000
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
/** Zones that keep one offset, in hours. */
const ZONES = [
  { name: '', hours: 0 },
  { name: 'UTC', hours: 0 },
  { name: 'Tokyo', hours: 9 },
  { name: 'Asia/Kolkata', hours: 5.5 },
  { name: 'UTC-3', hours: -3 },
  { name: 'JST', hours: 9 },
  { name: 'Phoenix, Arizona', hours: -7 },
]
const RUBBISH =
  'asap, Easter, Christmas, around, the first, of next month, tonight, half past, xyzzy, Toky, end of, week'.split(
    ', ',
  )

const shuffled = (random: Random, items: readonly string[]) =>
  items
    .map(item => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

/** A day of 1990 to 2049, in milliseconds. */
const drawDay = (random: Random) => Date.UTC(random.whole(1990, 2049), 0, random.whole(1, 365))
const iso = (day: number) => new Date(day).toISOString().slice(0, 10)
const partsOf = (day: number) => iso(day).split('-').map(Number) as [year: number, month: number, day: number]

function numeric(day: number, mark: string, isDayFirst: boolean, random: Random): string {
  const [year, month, date] = partsOf(day)
  const width = random.pick([1, 2])
  const two = [date, month].map(part => String(part).padStart(width, '0'))
  return [...(isDayFirst ? two : two.reverse()), year].join(mark)
}

/** Whether either number can be the month. */
const isOpen = (day: number) => partsOf(day)[2] <= 12 && partsOf(day)[1] !== partsOf(day)[2]

interface Written {
  readonly text: string
  readonly day: number
}

const DATES: ((random: Random, now: number) => Written)[] = [
  random => {
    const day = drawDay(random)
    const [year, month, date] = partsOf(day)
    const name = random.pick([MONTHS[month - 1]!, MONTHS[month - 1]!.slice(0, 3)])
    const weekday = random.happens(0.3) ? `${WEEKDAYS[new Date(day).getUTCDay()]}, ` : ''
    const forms = [
      iso(day),
      `${name} ${date}, ${year}`,
      `${date} ${name} ${year}`,
      `the ${date}th of ${name} ${year}`,
    ]
    return { text: weekday + random.pick(forms), day }
  },
  random => {
    let day = drawDay(random)
    while (isOpen(day)) day += DAY
    return { text: numeric(day, random.pick(['/', '.', '-']), random.happens(0.5), random), day }
  },
  (random, now) => {
    const days = random.whole(-1, 1)
    return { text: ['yesterday', 'today', 'tomorrow'][days + 1]!, day: now + days * DAY }
  },
  (random, now) => {
    const ahead = random.whole(0, 6)
    return { text: WEEKDAYS[new Date(now + ahead * DAY).getUTCDay()]!, day: now + ahead * DAY }
  },
  (random, now) => {
    // By both ways to count: of this week what is left, of the last what was less than seven days ago.
    const today = (new Date(now).getUTCDay() + 6) % 7
    const [which, days] = random.pick([
      ['this', random.whole(0, 6 - today)],
      ['last', random.whole(-Math.min(7, today + 7), -today - 1)],
      ['next', random.whole(7 - today, 7)],
    ] as const)
    return { text: `${which} ${WEEKDAYS[new Date(now + days * DAY).getUTCDay()]}`, day: now + days * DAY }
  },
]
const CLOCKS = {
  '15:00': 15,
  '3pm': 15,
  '3.30 pm': 15.5,
  'at 3:30pm': 15.5,
  noon: 12,
  midday: 12,
  '08:05:00': 8 + 1 / 12,
}

/** What a call of `convert` answers or refuses. */
async function convert(time: string, now: number, isDate = false): Promise<string> {
  const zones = isDate ? {} : { to_zones: ['UTC'] }
  return answerTime({ operation: 'convert', time, zone: 'UTC', ...zones }, now + DAY / 3).catch(error => {
    if (error.name !== 'ToolError') throw error
    return error.message
  })
}

function draw(random: Random) {
  const now = drawDay(random)
  const { text, day } = random.pick(DATES)(random, now)
  const clock = random.pick(Object.entries(CLOCKS))
  const zone = random.pick(ZONES)
  return { now, date: text, day, clock, zone }
}

test('a date, a time of day and a zone are read in any order', async () => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  for (let left = crowd(5_000, 300); left > 0; left--) {
    const { now, date, day, clock, zone } = draw(random)
    // What is today in a zone is another question.
    if (!/\d/.test(date) && zone.hours !== 0) continue
    const text = shuffled(random, [date, clock[0], zone.name].filter(Boolean)).join(random.pick([' ', ', ']))
    const instant = new Date(
      Math.round((day + (clock[1] - zone.hours) * 3_600_000) / 60_000) * 60_000,
    ).toISOString()
    expect(await convert(text, now), text).toContain(`${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`)
  }
})

test('what is no part of a time is named', async () => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  for (let left = crowd(5_000, 300); left > 0; left--) {
    const { now, date, clock, zone } = draw(random)
    const rubbish = random.pick(RUBBISH)
    const time = shuffled(
      random,
      [date, clock[0], zone.name].filter(() => random.happens(0.7)),
    ).filter(Boolean)
    const text = time.toSpliced(random.whole(0, time.length), 0, rubbish).join(' ')
    const [, named] = /^Cannot read (".*")\. Write 2026-03-01T15:00/.exec(await convert(text, now)) ?? []
    expect(named, text).toContain(rubbish.toLowerCase())
    // Dates and times of day are read.
    for (const part of time.filter(part => part !== zone.name)) expect(named, text).not.toContain(part)
  }
})

test('what passes until a day names it', async () => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  for (let left = crowd(2_000, 100); left > 0; left--) {
    const now = drawDay(random)
    const amount = random.whole(1, 12)
    const [unit, days] = random.pick([
      ['day', 1],
      ['week', 7],
    ] as const)
    const written = random.pick([`${amount} ${unit}s`, `${amount}${unit[0]}`])
    const start = random.pick(DATES)(random, now)
    const [text, day] = random.pick([
      [`in ${written}`, now + amount * days * DAY],
      [`${written} ago`, now - amount * days * DAY],
      [`${written} after ${start.text}`, start.day + amount * days * DAY],
      [`${written} before ${start.text}`, start.day - amount * days * DAY],
      [`${random.pick(['the ', 'a ', ''])}${unit} after ${start.text}`, start.day + days * DAY],
      [`${start.text} + ${written}`, start.day + amount * days * DAY],
    ] as const)
    expect(await convert(text, now, true), text).toContain(iso(day))
    const rubbish = random.pick(RUBBISH)
    expect(await convert(`${written} after ${rubbish}`, now), rubbish).toContain(
      `Cannot read "${rubbish.toLowerCase()}`,
    )
  }
})

test('a date with two meanings is read as the other end has it, and else refused with both', async () => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  for (let left = crowd(2_000, 300); left > 0; left--) {
    const [time, end] = [drawDay(random), drawDay(random)]
    const isDayFirst = random.happens(0.5)
    const [mark, other] = [random.pick(['/', '.', '-']), random.pick(['/', '.', '-'])]
    const call = {
      operation: 'difference',
      time: numeric(time, mark, isDayFirst, random),
      end: numeric(end, other, isDayFirst, random),
    }
    const isSettled = [time, end].every(
      day => !isOpen(day) || (mark === other && [time, end].some(each => partsOf(each)[2] > 12)),
    )
    const said = await answerTime(call).catch((error: Error) => error.message)
    if (isSettled) expect(said, JSON.stringify(call)).toContain(`Total: ${(end - time) / DAY} day`)
    else {
      const open = isOpen(time) && !(mark === other && partsOf(end)[2] > 12) ? time : end
      const [year, month, day] = iso(open).split('-')
      expect(said, JSON.stringify(call)).toContain('has two meanings')
      for (const way of [`${year}-${month}-${day}`, `${year}-${day}-${month}`]) expect(said).toContain(way)
    }
  }
})
