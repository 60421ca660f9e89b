import { findZone } from '../../tools/time.ts'
import { digitsForWords } from './number-words.ts'

/** Arguments for the time tool. */
export type TimeArguments = Readonly<Record<string, string | readonly string[]>>

const UNIT = '(?:seconds?|minutes?|mins?|hours?|days?|weeks?|fortnights?|months?|years?)'
const DURATION = String.raw`(?:an?|\d+(?:\.\d+)?)\s+${UNIT}(?:(?:\s*,\s*|\s+and\s+|\s+)(?:an?|\d+(?:\.\d+)?)\s+${UNIT})*`
const WEEKDAY = String.raw`(?:what|which) (?:day(?: of the week)?|weekday|day of week)`
const COPULA = String.raw`(?:is|was|will be|does|did|would be)`

type Reader = readonly [pattern: RegExp, read: (...groups: string[]) => TimeArguments | undefined]
const reader = (pattern: string, read: Reader[1]): Reader => [new RegExp(`^${pattern}$`, 'i'), read]

/** Kinds of question about time, the narrower ones first. */
const READERS: readonly Reader[] = [
  reader(
    String.raw`(?:how long|how many ${UNIT}|how much time) (?:is it |are there |is there |are |passed |lies? |left )?(?:between|from) (.+?) (?:and|to|until|till) (.+)`,
    difference,
  ),
  reader(
    String.raw`(?:the )?(?:time|difference|number of ${UNIT}|time difference) (?:between|from) (.+?) (?:and|to|until) (.+)`,
    (a, b) => offsets(a, b) ?? difference(a, b),
  ),
  reader(
    String.raw`(?:how long|how many ${UNIT}|how much time)(?: is it| are there| remain| is left| are left| left)? (?:until|till|to|before) (.+)`,
    end => difference('now', end),
  ),
  reader(
    String.raw`(?:how long|how many ${UNIT}|how much time)(?: is it| has it been| have passed| ago was)? since (.+)`,
    start => difference(start, 'now'),
  ),
  reader(
    String.raw`(?:what )?(?:(?:date|time|day|moment)(?: and time)? ${COPULA}(?: it)? )?(?:in )?(${DURATION}) (after|from|before|since|past|later than|earlier than) (.+)`,
    (duration, which, time) => addition(time, duration, /before|earlier/i.test(which)),
  ),
  reader(
    String.raw`(?:what )?(?:date|time|day)(?: and time)? (?:is|was|will)(?: it)?(?: be)? (?:in )?(${DURATION})( ago| from now|)`,
    (duration, when) => addition('now', duration, when === ' ago'),
  ),
  reader(String.raw`(?:add )(${DURATION}) to (.+)`, (duration, time) => addition(time, duration, false)),
  reader(String.raw`subtract (${DURATION}) from (.+)`, (duration, time) => addition(time, duration, true)),
  reader(String.raw`(.+?) (plus|minus) (${DURATION})`, (time, sign, duration) =>
    /\d/.test(time) || /now|today|tomorrow|yesterday/i.test(time)
      ? addition(time, duration, sign === 'minus')
      : undefined,
  ),
  reader(
    String.raw`(?:what(?:'s| is)? )?(?:the )?(?:local |current )?time ${COPULA}? ?(?:it )?in (.+?) (?:when|if) (?:it(?:'s| is) )?(.+?) in (.+)`,
    (to, time, from) => conversion(time, from, to),
  ),
  reader(
    String.raw`(?:if|when) (?:it(?:'s| is) )?(.+?) in (.+?),? (?:then )?what(?:'s| is)? (?:the )?time (?:is it |it is )?in (.+)`,
    conversion,
  ),
  reader(
    String.raw`(?:convert |change |what(?:'s| is) )?(.*?\d.*?|noon|midnight) (?:in |from )?(.+?) (?:time )?(?:to|into|in|as) (.+?)(?: time)?`,
    (time, from, to) => conversion(time, from, to),
  ),
  reader(String.raw`${WEEKDAY} ${COPULA}(?: it)?(?: on)? (.+?)(?: fall on| on)?`, time =>
    /^it$|^today$|^it today$|^in /.test(time) ? now(['UTC']) : { operation: 'weekday', time },
  ),
  reader(String.raw`(?:on )?${WEEKDAY} (?:did|does|will) (.+?) (?:fall|land)(?: on)?`, time => ({
    operation: 'weekday',
    time,
  })),
  reader(String.raw`(?:what(?:'s| is)? )?(?:the )?(?:weekday|day of the week) (?:of|on|for) (.+)`, time => ({
    operation: 'weekday',
    time,
  })),
  reader(
    String.raw`(?:what(?:'s| is)? |which )?(?:the )?(?:iso )?week(?: number)? (?:is|of|for|was|does)(?: it on)? (.+?)(?: (?:in|fall in))?`,
    time => ({ operation: 'weekday', time }),
  ),
  reader(
    String.raw`(?:what(?:'s|s| is| are)? |tell |give )?(?:me )?(?:the )?(?:current |local |present |exact )*(?:time|date|day|date and time|time and date|times)(?: and (?:date|time))?(?: is it| it is)?(?: right)?(?: now| today| currently)*(?: (?:in|at|for) (.+?))?(?: right)?(?: now| today| currently)*`,
    places => now(places === undefined ? ['UTC'] : zonesOf(places)),
  ),
  reader(
    String.raw`(?:what )?(?:time|date|day) (?:is|was) (?:it )?(?:right )?(?:now|today)(?: in (.+))?`,
    places => now(places === undefined ? ['UTC'] : zonesOf(places)),
  ),
  reader(String.raw`(?:what(?:'s| is) )?today(?:'s)?(?: date)?`, () => now(['UTC'])),
]

/** The time tool's arguments for a question about times and dates, or `undefined` where it is none. */
export function readTimeQuestion(question: string): TimeArguments | undefined {
  const text = digitsForWords(question)
  for (const [pattern, read] of READERS) {
    const match = pattern.exec(text)
    const found = match && read(...(match.slice(1) as string[]))
    if (found) return found
  }
  return undefined
}

function now(zones: readonly string[] | undefined): TimeArguments | undefined {
  return zones && { operation: 'now', zones }
}

/** Two places: the difference between their clocks, read off the time in both. */
function offsets(a: string, b: string): TimeArguments | undefined {
  return findZone(a) && findZone(b) ? now([a, b]) : undefined
}

function difference(start: string, end: string): TimeArguments | undefined {
  return isMoment(start) && isMoment(end) ? { operation: 'difference', start, end } : undefined
}

function addition(time: string, duration: string, back: boolean): TimeArguments | undefined {
  if (!isMoment(time)) return undefined
  const plain = duration.replace(/\ban?\s/gi, '1 ').replace(/\s+and\s+|\s*,\s*/g, ' ')
  return { operation: 'add', time, duration: back ? `-${plain}` : plain }
}

function conversion(time: string, from: string, to: string): TimeArguments | undefined {
  const zones = zonesOf(to)
  const clock = time.replace(/^(?:at|from|when it(?:'s| is))\s+/i, '')
  if (!isMoment(clock) || !findZone(from) || !zones) return undefined
  return { operation: 'convert', time: clock, from_zone: from, to_zones: zones }
}

/** The zones named in a list, or `undefined` where part of it names none. */
function zonesOf(list: string): string[] | undefined {
  if (findZone(list)) return [list]
  const names = list
    .split(/\s*(?:,\s*(?:and\s+)?(?:in\s+)?|\s+and\s+(?:in\s+)?|\s*&\s*|;)\s*/)
    .filter(Boolean)
  return names.length > 1 && names.every(name => findZone(name)) ? names : undefined
}

const MONTH = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i

/** Whether a text may be a moment: the time tool has the last word, and says what is wrong with it. */
function isMoment(text: string): boolean {
  return (
    text.length <= 60 &&
    (/^(?:right )?(?:now|today|tomorrow|yesterday|noon|midnight)\b/i.test(text) ||
      (/\d/.test(text) && (MONTH.test(text) || /\d[-:/]\d|\d\s*[ap]\.?m\b|^\d{4}$/i.test(text))))
  )
}
