import { ToolError } from '@agent-task-service/engine/tool'
import { resolveName } from './names.ts'
import table from './notation.json' with { type: 'json' }

type Reading = (typed: string) => string
type Note = (line: string) => void
/** An open bracket. */
interface Bracket {
  readonly isList: boolean
  /** Whether one value is enough in it: `1,5` may be meant as that value. */
  readonly takesOne: boolean
  /** `1,5` or `1,500`, which is one argument or more. */
  number?: string
  hasSpaced?: boolean
}
/** The first number of each kind with commas. */
interface Seen {
  decimal?: string
  group?: string
  /** A comma that is not of decimals. */
  other?: string
}

const COMMA =
  'A comma separates groups of three digits (1,234.5) or arguments; write decimals with a point, and one expression at a time.'
const LISTED =
  'A comma here may separate decimals or arguments. Write decimals with a point and arguments with a space after each comma, for example max(1.5, 2.5).'
/** The parser uses about twenty stack frames per open parenthesis. */
const DEEPEST = 50
/** 999,999,999,999,999 */
const LONGEST_GROUPED = 19

export const NAME = String.raw`[a-z_μΩ\u0370-\u03ff][\w\u0370-\u03ff]*`
const CALL = String.raw`(?:(?<![a-z_])(?!(?<=[\w)!%] +)mod\b)(${NAME}))?\s*\(`
/** Brackets, what may be one number with commas, and other commas. */
const COMMAS = new RegExp(String.raw`${CALL}|[[)\]]|(?<![\w.,])(\d[\d.]*,[\d.,]*\d)|[ ]?,[ ]?`, 'gi')
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/
const DECIMAL = /^\d+,\d+$/
/** What is one number in some language, if it is not several arguments. */
const IN_GROUPS = /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/
const WITH_COMMA = /^\d+(?:\.\d{3})*,\d+$/

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

/** Rewrites numbers with decimal points alone, and tells of marks that may be meant otherwise. */
export function rewriteMarks(text: string, note: Note): string {
  const plain = withDecimalPoints(text)
  if (plain !== text) note('Points were read as thousands, commas as decimals.')
  const [number] = plain.match(EITHERS) ?? []
  if (number) note(`${number} was read as a decimal: write ${withPoint(number)} for thousands.`)
  return withoutCommas(plain, note)
}

/** Commas separate thousands or, outside all brackets, decimals; among arguments of a function they separate these. */
function withoutCommas(text: string, note: Note): string {
  const open: Bracket[] = []
  const seen: Seen = {}
  const plain = text.replace(COMMAS, (token, name = '', number = '') => {
    if (/[[(]$/.test(token)) open.push(bracketOf(token, name))
    if (open.length > DEEPEST)
      throw new ToolError(`Syntax error: parentheses may be nested ${DEEPEST} deep at most.`)
    if (/[)\]]$/.test(token)) open.pop()
    return token.includes(',') ? readComma(token, number, open.at(-1), seen, note) : token
  })
  const { decimal, other, group } = seen
  // Whoever writes decimal commas uses neither points nor commas for anything else.
  if (decimal && (other || /\d\.\d/.test(text))) throw new ToolError(`Syntax error at "${decimal}": ${COMMA}`)
  if (decimal)
    note(
      `${decimal} was read as ${withPoint(decimal)}: a comma that separates no thousands is a decimal one.`,
    )
  if (group && !DECIMAL_POINT.test(text) && !COMMA_OF_THOUSANDS.test(text))
    note(`${group} was read as ${group.replaceAll(',', '')}.`)
  return plain
}

/** @param bracket the innermost; `undefined` outside of all */
function readComma(
  token: string,
  number: string,
  bracket: Bracket | undefined,
  seen: Seen,
  note: Note,
): string {
  if (!bracket && DECIMAL.test(number) && !GROUPED.test(number)) {
    seen.decimal ??= number
    return number.replace(',', '.')
  }
  seen.other = token
  if (bracket?.isList) readArguments(token, number, bracket, note)
  // The parser refuses a comma in other brackets, or the evaluation the name before them.
  if (bracket && (bracket.isList || !number)) return token
  if (!GROUPED.test(number)) throw new ToolError(`Syntax error at "${token.trim()}": ${COMMA}`)
  seen.group ??= number
  return number.replaceAll(',', '')
}

/** @throws {ToolError} when spaces behind other commas, or a 0, show that a comma without one may be of a number */
function readArguments(token: string, number: string, bracket: Bracket, note: Note): void {
  const isGrouped = IN_GROUPS.test(number)
  if (isGrouped || WITH_COMMA.test(number)) bracket.number ??= number
  if (token.includes(' ')) bracket.hasSpaced = true
  const { hasSpaced, takesOne, number: one } = bracket
  if (one && (hasSpaced || /^0,|,0\d/.test(one))) throw new ToolError(`Syntax error at "${one}": ${LISTED}`)
  const plain = isGrouped ? number.replaceAll(',', '') : withPoint(number)
  // Nobody means a number of more digits; a list of three-digit numbers looks so.
  if (one === number && (isGrouped ? number.length <= LONGEST_GROUPED : takesOne))
    note(`${number} was taken as arguments; for one number, write ${plain}.`)
}

function bracketOf(token: string, name: string): Bracket {
  const meaning = resolveName(name, true)
  if (meaning?.kind !== 'function') return { isList: token === '[', takesOne: token === '[' }
  return { isList: meaning.maximum > 1, takesOne: meaning.minimum <= 1 }
}
