import { ToolError } from '@agent-task-service/engine/tool'
import table from './notation.json' with { type: 'json' }

type Reading = (typed: string) => string

/** Longest expression that a refusal writes out twice, in characters. */
const MOST_WRITTEN = 120
const MONEY = '[$€£¥₹]'
/** `1.200`, whose point may be of decimals or of thousands; a power of ten behind it shows that it is of decimals. */
const EITHER = String.raw`(?<![\w.,])[1-9]\d{0,2}\.\d{3}(?!\d|\.\d|e[-+]?\d| *\* *10 *(?:\^|\*\*))`
const EITHERS = new RegExp(EITHER, 'gi')
/** Money has no thousandths, and few people add zeros to a decimal, except to a rate of interest. */
const SUSPECT = new RegExp(
  String.raw`(?:(?<=(?:${MONEY}|\bof) *)${EITHER}|${EITHER}(?:(?<=0)|(?= *${MONEY})))(?! *%)`,
  'i',
)
/** A point of decimals. A share such as `0.19` tells nothing of other numbers: models make it of 19%. */
const DECIMAL_POINT = /(?<![\d.])(?:[1-9]\d*\.(?:\d{1,2}|\d{4,})(?!\d)|\d{4,}\.\d)|,\d{3}\.\d/
/** `1.200,50`, or `1,19`. */
const DECIMAL_COMMA =
  /(?<![\w.,])(?:\d{1,3}(?:\.\d{3})+,\d+|0,\d+|\d+,(?:\d{1,2}|\d{4,})|\d{4,},\d{3})(?!\d|[.,]\d)/g
const COMMA_OF_THOUSANDS = new RegExp(String.raw`${MONEY} *\d{1,3},\d{3}(?!\d| *${MONEY})|,\d{3},\d{3}`)
const GRADS = /(?<![a-z_])grads?(?![a-z_])/gi
const NUMBERS = /\d[\d.,]*\d/g
const FOREIGN = Object.entries(table.foreign).map(
  ([words, english]) => [new RegExp(`(?<![a-z_])(?:${words})(?![a-z_])`, 'gi'), english] as const,
)

/**
 * What has two readings between which nothing in the expression decides: a mark before exactly three digits, and `grad`,
 * which is a gradian, or German for a degree.
 * @throws {ToolError} with the expression written in both ways
 */
export function refuseTwoReadings(text: string): void {
  const english = FOREIGN.reduce((before, [words, meaning]) => before.replace(words, meaning), text)
  if (english !== text)
    throw new ToolError(`Write English, and decimal points: "${english.replace(NUMBERS, withPoint).trim()}".`)
  refuse(text, GRADS, text.match(GRADS)?.[0], [() => 'deg', () => 'gon'])
  const isAlone = /^[- ]*[\d.]+ *$/.test(text)
  const isSettled = isAlone || DECIMAL_POINT.test(text) || withDecimalPoints(text) !== text
  if (!isSettled) refuse(text, EITHERS, SUSPECT.exec(text)?.[0], [withPoint, asDecimal])
}

function refuse(text: string, all: RegExp, found: string | undefined, readings: readonly Reading[]): void {
  if (found === undefined) return
  const shown = text.length > MOST_WRITTEN ? found : text.trim()
  const calls = readings.map(reading => `"${shown.replace(all, reading)}"`)
  throw new ToolError(`${found} has two readings: write ${calls.join(' or ')}.`)
}

/** `1.200,5` and `1,200.5` are `1200.5`; `1.200` is `1200`. */
function withPoint(number: string): string {
  const isEnglish = /,\d{3}\.|^\d+\.(?!\d{3}(?!\d))/.test(number)
  return isEnglish ? number.replaceAll(',', '') : number.replaceAll('.', '').replace(',', '.')
}

/** `1.200` is `1.2`, and `12.345` is `12.3450`, which cannot be of thousands. */
const asDecimal = (number: string) => `${Number(number)}`.replace(/\.\d{3}$/, '$&0')

/** A decimal comma, where none can separate arguments, shows that points are of thousands: `40.000 * 1,19`. */
function withDecimalPoints(text: string): string {
  const others = text.replace(DECIMAL_COMMA, ' ')
  const isShown = others !== text && /\d\.\d{3}/.test(text) && !/[a-z_] *\(|\[/i.test(text)
  return isShown && !/\d[.,]\d/.test(others.replace(EITHERS, ' ')) ? text.replace(NUMBERS, withPoint) : text
}

/** Rewrites decimal commas that stand beside points of thousands, and tells of points that may be meant otherwise. */
export function rewriteMarks(text: string, note: (line: string) => void): string {
  const plain = withDecimalPoints(text)
  if (plain !== text) note('Points were read as thousands, commas as decimals.')
  const [number] = plain.match(EITHERS) ?? []
  if (number) note(`${number} was read as a decimal: write ${withPoint(number)} for thousands.`)
  return plain
}

/** Whether a comma before three digits cannot be of decimals. */
export const showsThousands = (text: string) => DECIMAL_POINT.test(text) || COMMA_OF_THOUSANDS.test(text)
