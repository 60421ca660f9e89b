import { numbersInWords } from './number-words.ts'

const DIGITS = String.raw`(?:\d{1,3}(?:[,'’\u00a0\u2009\u202f ]\d{3})+(?!\d)|\d+)`
const POWER = String.raw`(?:[eE][-+]?\d+|\s?[×x*·]\s?10(?:\^|\*\*)\(?[-−]?\d+\)?)`
const NUMBER = new RegExp(
  String.raw`(?<![\w.])(?<sign>(?<![\w)\]]|[\d)\]] )[-−])?(?<whole>${DIGITS})(?:[.](?<part>\d+))?(?<power>${POWER})?`,
  'gu',
)
const DECIMAL_COMMA = /(?<![\w.,])(?<sign>(?<![\w)\]]|[\d)\]] )[-−])?(?<whole>\d+),(?<part>\d+)(?![\d,])/gu
// Not a date or a path.
const QUOTIENT = /(?<![\w./])(?<sign>[-−])?(?<over>\d+)\s?[/⁄]\s?(?<under>[1-9]\d*)(?![\w/]|\.\d)/gu

/**
 * The numbers a text may contain, in every reading: `1,234.5`, `1 234`, `−3`, `1.2e6`, `1.2 × 10^6`, these in TeX,
 * `2,5` also as two and a half, `1/2`, `½` and `\frac{1}{2}` also as quotients, and words if there is no digit.
 */
export function numbersIn(text: string): number[] {
  const written = withoutTex(text)
  const plain = [...written.matchAll(NUMBER)].map(({ groups }) => toNumber(groups))
  const withComma = [...written.matchAll(DECIMAL_COMMA)].map(({ groups }) => toNumber(groups))
  const quotients = [...written.matchAll(QUOTIENT)].map(({ groups: { sign, over, under } = {} }) => {
    return ((sign ? -1 : 1) * Number(over)) / Number(under)
  })
  const words = /\d/.test(written) ? [] : numbersInWords(written)
  return [...plain, ...withComma, ...quotients, ...words]
}

/** Models like to write formulas in TeX: `1{,}234`, `1\,234`, `1.2 \times 10^{6}`, `\frac{1}{2}`. */
function withoutTex(text: string): string {
  return text
    .replace(/\{,\}/g, ',')
    .replace(/\\[,;! ]/g, '\u2009')
    .replace(/\\(?:times|cdot)\s?/g, '×')
    .replace(/10\^\{(-?\d+)\}/g, '10^$1')
    .replace(/\\[dt]?frac\s?\{?(\d+)\}?\s?\{?(\d+)\}?/g, ' $1/$2 ')
    .replace(/[½¼¾⅓⅔⅕⅛]/g, sign => ` ${sign.normalize('NFKC')} `)
}

function toNumber({ sign, whole = '', part = '', power = '' }: Record<string, string> = {}): number {
  const digits = `${whole.replace(/[^\d]/g, '')}.${part || '0'}`
  const exponent = /(?:[-−+]|(?<!\d))\d+(?=\)?$)/u.exec(power)?.[0].replace('−', '-') ?? '0'
  return (sign ? -1 : 1) * Number(`${digits}e${exponent}`)
}

/** A time of day as stated in a text. */
interface StatedTime {
  /** Its first second, counted from midnight. */
  readonly second: number
  /** How many seconds it covers: 60 if the text gives no seconds. */
  readonly length: 1 | 60
}

const DAY = 24 * 60 * 60
// A number after a sign is an offset from UTC.
const TIME =
  /(?<![\d:.+−-])(?<hour>\d{1,2})(?::(?<minute>[0-5]\d)(?::(?<second>[0-5]\d))?|(?=\s?[ap]\.?m))(?!\d)\s?(?<half>[ap]\.?m\b)?/giu

/** The times of day in a text: `07:30`, `7:30:15 PM`, `7 p.m.`. */
export function timesIn(text: string): StatedTime[] {
  return [...text.matchAll(TIME)].flatMap(({ groups }) => {
    const { hour, minute = '0', second, half } = groups as Record<string, string | undefined>
    const stated = Number(hour)
    if (stated > (half ? 12 : 23)) return []
    const hours = half ? (stated % 12) + (/^p/i.test(half) ? 12 : 0) : stated
    const start = hours * 3600 + Number(minute) * 60 + Number(second ?? 0)
    return [{ second: start, length: second === undefined ? 60 : 1 }] satisfies StatedTime[]
  })
}

/** The second of the day in a zone. */
export function secondOfDay(date: Date, zone: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clockIn(zone, date).split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

/** `14:02:59` */
export function clockIn(timeZone: string, date: Date): string {
  return date.toLocaleTimeString('en-GB', { timeZone })
}

/** Whether a stated time overlaps a span of the day, across midnight too. */
export function touches(stated: StatedTime, start: number, length: number): boolean {
  const from = (a: number, b: number) => (((b - a) % DAY) + DAY) % DAY
  return from(start, stated.second) <= length || from(stated.second, start) < stated.length
}
