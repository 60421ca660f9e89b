import type { Random } from '@agent-task-service/test-support/random'

type Wording = (value: string) => string

const NUMBERS: readonly Wording[] = [
  value => `The answer is ${value}.`,
  value => `It comes to ${value}.`,
  value => `That makes **${value}**, if we round nothing.`,
  value => `I get ${value} for this one.`,
  value => `= ${value}`,
  value => `Let me see: first I looked at what was asked, then I used a tool, and it returned ${value}.`,
]
const DAYS: readonly Wording[] = [
  value => `${value} days.`,
  value => `There are ${value} days between the two.`,
  value => `From one to the other it is **${value}** days.`,
]
const WEEKDAYS: readonly Wording[] = [
  value => `It was a ${value}.`,
  value => `${value}, according to the calendar.`,
  value => `That day fell on a **${value}**.`,
]
const TIMES: readonly Wording[] = [
  value => `The clocks there show ${value}.`,
  value => `It is ${value} right now.`,
  value => `**${value}**, local time.`,
]
const BEFORE = ['', '', 'Sure! ', 'Here you are:\n\n', 'Thanks for asking. ', 'Good question.\n']
const AFTER = ['', '', '', '\n\nLet me know if you need anything else.', ' Anything else?']

/** A line of the second agent in the words of a model that chooses among several, now and then in no digits at all. */
export function worded(line: string, random: Random): string {
  const [, number] = /^The answer is (.+)\.$/.exec(line) ?? []
  if (number !== undefined)
    return random.pick(NUMBERS)(random.happens(0.05) ? otherwise(number, random) : number)
  const [, days] = /^(\d+) days\.$/.exec(line) ?? []
  if (days !== undefined) return random.pick(DAYS)(random.happens(0.05) ? otherwise(days, random) : days)
  const [, weekday] = / is a (\w+day)\.$/.exec(line) ?? []
  if (weekday !== undefined) return random.pick(WEEKDAYS)(weekday)
  const [, time] = / (\d\d:\d\d:\d\d) /.exec(line) ?? []
  if (time !== undefined) return random.pick(TIMES)(time)
  return line
}

/** The whole answer. */
export function framed(lines: readonly string[], random: Random): string {
  const isList = lines.length > 1 && random.happens(0.5)
  const body = isList ? lines.map(line => `- ${line}`).join('\n') : lines.join('\n')
  return `${random.pick(BEFORE)}${body}${random.pick(AFTER)}`
}

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = '- - twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')

/** The same number in other words: written out, in TeX, or as nobody expects it. */
function otherwise(number: string, random: Random): string {
  if (random.happens(0.3) && /^\d+$/.test(number)) return `one more than ${BigInt(number) - 1n}`
  if (/^\d{1,3}$/.test(number)) return inWords(Number(number))
  const [whole = '', part] = number.split('.')
  if (part === undefined) return `\\(${whole.replace(/\B(?=(\d{3})+$)/g, '{,}')}\\)`
  return `\\frac{${Number(whole + part)}}{${10 ** part.length}}`
}

/** Below a thousand. */
function inWords(number: number): string {
  if (number < 20) return SMALL[number]!
  const [rest, above] =
    number < 100
      ? [number % 10, TENS[Math.floor(number / 10)]!]
      : [number % 100, `${SMALL[Math.floor(number / 100)]} hundred`]
  return rest === 0 ? above : `${above}${number < 100 ? '-' : ' '}${inWords(rest)}`
}
