import { readDuration, readTimeUnit } from './duration.ts'
import { type Moment, readInstant, readMoment } from './moment.ts'
import type { Slots } from './phrase.ts'
import { readPlace, readPlaces } from './places.ts'
import {
  add,
  convert,
  difference,
  now,
  since,
  subtract,
  type TimeArguments,
  until,
  weekday,
} from './time-arguments.ts'

/**
 * `{place}` one place, `{places}` one or several, `{moment}` a date or time of day, `{instant}` the same with its
 * place, `{duration}` a length of time, `{unit}` its unit. They read only what the time tool takes.
 */
export const timeSlots: Slots = {
  place: readPlace,
  places: readPlaces,
  moment: readMoment,
  instant: readInstant,
  duration: readDuration,
  unit: readTimeUnit,
}

type Rule = readonly [notation: string, read: (...values: never[]) => TimeArguments | undefined]

const KIND = '(date and time|time and date|day and time|day and date|date|time|day|times|hour)'
const AT_NOW = '[right now|now|today|currently|at the moment|at present]'
/** The second after "tell me what". */
const IS_IT = `((what|which) ${KIND} is it|${KIND} it is)`
const WHAT_TIME = 'what [is the] time [is it|will it be|would it be]'
const WHEN =
  '[(what|which|when|the) [is the|was the|will be the] [date|day|time|day of the week] [is it|is|was it|was|will it be|will be|would be|falls] [in]]'
const DAY = '(day of the week|day of week|weekday|day)'

const NOW_RULES: readonly Rule[] = [
  [`${IS_IT} ${AT_NOW}`, () => now()],
  [`${IS_IT} ${AT_NOW} (in|at|for) {places} ${AT_NOW}`, now],
  [`what (year|month) is it ${AT_NOW}`, () => now()],
  [`[the] (current|local|exact|present) [local] ${KIND} [is it] ${AT_NOW}`, () => now()],
  [`the ${KIND} [is it|is] ${AT_NOW}`, () => now()],
  [
    `[the] [current|local|exact|present] [local] ${KIND} [is it|is] ${AT_NOW} (in|at|for) {places} ${AT_NOW}`,
    now,
  ],
  ["today's (date|day) [in {places}]", now],
  ['(what|which) (day|date) is [it] today [in {places}]', now],
  ['what is today', () => now()],
  [
    '[the] time difference between {place} and {place}',
    (start: string, end: string) => ({ operation: 'difference', start, end }),
  ],
]

const CONVERT_RULES: readonly Rule[] = [
  ...[`${WHAT_TIME} in {places} (when|if) (it is|it's)`, `${WHAT_TIME} in {places} at`].map(
    (start): Rule => [
      `${start} {moment} [in|at] {place} [time]`,
      (to: readonly string[], time: Moment, from: string) => convert(time, from, to),
    ],
  ),
  [`(when|if) (it is|it's) {moment} [in|at] {place} [time] [,] [then] ${WHAT_TIME} in {places}`, convert],
  ['[what time is|what is] {moment} [in|from] {place} [time] (to|in|into) {places} [time]', convert],
  ['{moment} [in|from] {place} [time] (is|=) what time in {places}', convert],
]

const DIFFERENCE_RULES: readonly Rule[] = [
  ...['between {instant} and {instant}', 'from {instant} (to|until|till) {instant}'].flatMap(
    (span): Rule[] => [
      [`how many {unit} [is it|are there|is there|are|lie|passed|elapsed] ${span}`, difference],
      [`[the] (number of|difference in) {unit} ${span}`, difference],
      [`{unit} ${span}`, difference],
      [
        `(how long|how much time|[the] difference|[the] time|[the] time difference) [is it|is there|is] ${span}`,
        (start: Moment, end: Moment) => difference('', start, end),
      ],
    ],
  ),
  [
    '[how many] {unit} [are there|is it|are left|left|remain|to go|do we have] (until|till|to|before) {instant}',
    until,
  ],
  [
    '(how long|how much time) [is it|is there|is left|left|remains] (until|till|to|before) {instant}',
    (end: Moment) => until('', end),
  ],
  ['[how many] {unit} [have passed|has it been|have gone by|passed|is it] since {instant}', since],
  ['how many {unit} ago was {instant}', since],
  ['how long [is it|has it been] since {instant}', (start: Moment) => since('', start)],
  ['how long ago was {instant}', (start: Moment) => since('', start)],
]

const ADD_RULES: readonly Rule[] = [
  [`${WHEN} {duration} (after|from|past) {instant}`, add],
  [`${WHEN} {duration} (before|prior to) {instant}`, subtract],
  [`${WHEN} {duration} ago`, (duration: string) => subtract(duration)],
  [
    'what (time|date|day) (is it|will it be|is|would it be) in {duration}',
    (duration: string) => add(duration),
  ],
  ['what will the (time|date|day) be in {duration}', (duration: string) => add(duration)],
  [
    'what (time|date|day) (is it|will it be|would it be) in {duration} in {place}',
    (duration: string, place: string) => ({ ...add(duration), from_zone: place }),
  ],
  [
    'what (time|date|day) (is it|will it be|would it be) in {place} in {duration}',
    (place: string, duration: string) => ({ ...add(duration), from_zone: place }),
  ],
  ['add {duration} to {instant}', add],
  ['subtract {duration} from {instant}', subtract],
  ['{instant} (plus|+) {duration}', (time: Moment, duration: string) => add(duration, time)],
  ['{instant} (minus|-) {duration}', (time: Moment, duration: string) => subtract(duration, time)],
]

const WEEKDAY_RULES: readonly Rule[] = [
  [
    `[on] (what|which) ${DAY} (is|was|will|does|did|would) [it] [be] [on] {moment} [fall|land|be] [on]`,
    weekday,
  ],
  [`[the] (day of the week|weekday) (of|on|for) {moment}`, weekday],
  ['(what|which) [iso] (week number|week) (is|was|does|will) [it] [on|in] {moment} [fall|be] [in]', weekday],
  ['[the] [iso] (week number|week) (of|for|on|is) {moment}', weekday],
  ['(what|which) [iso] (week number|week) is it', () => ({ operation: 'weekday', time: 'today' })],
  ['[the] current [iso] (week number|week)', () => ({ operation: 'weekday', time: 'today' })],
  ...['tomorrow', 'yesterday'].map((day): Rule => {
    return [`(${day}'s (date|day)|the (date|day) ${day})`, () => ({ operation: 'weekday', time: day })]
  }),
]

/** Questions about times and dates. Where several fit, the longest is taken; of these, the first. */
export const timeRules: readonly Rule[] = [
  ...NOW_RULES,
  ...CONVERT_RULES,
  ...DIFFERENCE_RULES,
  ...ADD_RULES,
  ...WEEKDAY_RULES,
]
