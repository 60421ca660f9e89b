import { Decimal } from 'decimal.js'
import { shortLine } from './text.ts'

/** Exact for every sum of numbers that are read here. */
export const Exact = Decimal.clone({ precision: 350, toExpNeg: -20, toExpPos: 60 })

/** Longest cell that may be a number, with its unit. */
const LONGEST = 60
const GAPS = /[ \u00a0\u2009\u202f'’]/g
/** With `.` before decimals: 1,234.5; 12,34,567; 1 234.5; 1'234.5. */
const BY_POINT =
  /^(?:\d*|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}|[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f'’]\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/
/** With `,` before decimals: 1.234,5; 1 234,5. */
const BY_COMMA =
  /^(?:\d*|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f'’]\d{3})+)(?:,\d+)?(?:[eE][+-]?\d{1,2})?$/
/** Signs and codes of currencies. */
const BEFORE = /^(?:[A-Z]{0,3}\p{Sc}|kr\.?|Fr\.?|Rs\.?)?$/u
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))
/** Not `1st`. */
const AFTER = /^(?!(?:st|nd|rd|th)$)(?:[\p{L}\p{Sc}%‰°][\p{L}\p{Sc}%‰°²³/.·^ ]*)?$/u
const MINUS = '-−–'
/** Digits that name something: 01234. */
const CODE = /^0\d+$/
const TELEPHONE = /^\+\d{7,}$/
const PLUS = /^\+\d+$/
const BARE = /^[1-9]\d*$/

export function isNumber(cell: string): boolean {
  return writtenIn(cell) !== undefined
}

/** A cell that is a number in one notation or the other. */
interface Written {
  /** Digits with their marks. */
  readonly digits: string
  readonly isNegative: boolean
  /** "kg". */
  readonly unit: string
  readonly isByPoint: boolean
  readonly isByComma: boolean
  /** It has a footnote's star, or its minus behind. */
  readonly isOdd: boolean
}

export interface Amount {
  readonly value: Decimal
  /** "kg": what must be the same for numbers to add up. */
  readonly unit: string
}

interface Numbers {
  /** By row; `undefined`: the cell is not a number. */
  readonly values: readonly (Amount | undefined)[]
  /** What was assumed. */
  readonly note: string | undefined
  /** Why its cells are text, though they look like numbers: "it has two notations, …". */
  readonly fault: string | undefined
}

export interface Column extends Numbers {
  /** `number`: more than half of its filled cells are numbers, and all of these have one unit. */
  readonly type: 'number' | 'text'
}

/** @param cells those of all rows */
export function columnOf(cells: readonly string[]): Column {
  const numbers = numbersIn(cells)
  const used = [...numbers.values.keys()].filter(at => numbers.values[at])
  const filled = cells.filter(cell => cell.trim()).length
  if (used.length <= filled / 2) return { ...numbers, type: 'text' }
  const fault = numbers.fault ?? twoUnits(cells, numbers.values, used)
  return { ...numbers, fault, type: fault === undefined ? 'number' : 'text' }
}

/**
 * Reads a column of numbers in the one notation that all its cells have.
 *
 * A column is text if a cell has a leading zero; or if none has a minus, and one is a + and seven digits or more, or one is a +
 * and digits and another, above 0, digits alone.
 */
function numbersIn(cells: readonly string[]): Numbers {
  const code = codeIn(cells)
  if (code !== undefined) {
    return { values: [], note: undefined, fault: `"${shortLine(code)}" begins with ${code[0]}` }
  }
  const all = cells.map(writtenIn)
  const votes = (isIt: (one: Written) => boolean) => all.findIndex(one => one && isIt(one))
  const point = votes(({ isByPoint, isByComma }) => isByPoint && !isByComma)
  const comma = votes(({ isByPoint, isByComma }) => isByComma && !isByPoint)
  // Such a mark may be that of thousands or of decimals: 1,234.
  const open = (mark: string) => votes(one => one.isByPoint && one.isByComma && one.digits.includes(mark))
  const [openPoint, openComma] = [open('.'), open(',')]
  const isUndecided = point < 0 && comma < 0
  const two = isUndecided ? [openComma, openPoint] : [point, comma]
  const values = all.map(one => one && quantityOf(one, comma >= 0))
  const odd = [isUndecided ? Math.max(openPoint, openComma) : -1, votes(one => one.isOdd)]
  const notes = odd.filter(at => at >= 0).map(at => noteOn(cells[at]!, at, values[at]!))
  const marked = all.filter(one => one?.isOdd).length
  if (marked > 1) notes.push(`${marked} of its cells have such a mark.`)
  return {
    values,
    note: notes.length > 0 ? [...new Set(notes)].join(' ') : undefined,
    fault: two.every(at => at >= 0) ? twoWays(cells, two) : undefined,
  }
}

function codeIn(cells: readonly string[]): string | undefined {
  const first = (pattern: RegExp) => cells.find(cell => pattern.test(cell.trim()))
  const isSigned = () => cells.some(cell => MINUS.includes(cell.trim()[0] ?? '+'))
  const plus = first(TELEPHONE) ?? (first(BARE) === undefined ? undefined : first(PLUS))
  return first(CODE) ?? (plus === undefined || isSigned() ? undefined : plus)
}

function writtenIn(cell: string): Written | undefined {
  if (cell.length > LONGEST) return undefined
  const whole = cell.replace(/\[[\w ]{1,12}\]/g, '').trim()
  const text = whole.replace(/[*†‡]{1,3}$/, '')
  const last = text.search(/\d\D*$/)
  if (last < 0) return undefined
  const mark = text.search(/[.,]?\d/)
  const digits = text.slice(mark, last + 1)
  const [isByPoint, isByComma] = [BY_POINT.test(digits), BY_COMMA.test(digits)]
  const [left, right] = [text.slice(0, mark), text.slice(last + 1)]
  // 2001- is a span of years.
  const isBehind = right[0] === '-' && /[.,]/.test(digits)
  const around = isBehind ? aroundOf(`-${left}`, right.slice(1)) : aroundOf(left, right)
  if (!around || !(isByPoint || isByComma)) return undefined
  return { digits, isByPoint, isByComma, isOdd: isBehind || text !== whole, ...around }
}

/** Sign and unit: `-$`, `$ -`, `($` or `$(` with `)`; `undefined`: something else. */
function aroundOf(before: string, after: string): Pick<Written, 'isNegative' | 'unit'> | undefined {
  const isDebit = /^\(|\($/.test(before) && after.endsWith(')')
  const [left, right] = isDebit ? [before.replace('(', ''), after.slice(0, -1)] : [before, after]
  const signs = [...left].filter(one => MINUS.includes(one) || one === '+')
  const unsigned = [...left].filter(one => !MINUS.includes(one) && one !== '+').join('')
  const [money, measure] = [unsigned.trim(), right.trim()]
  if (signs.length > 1 || (isDebit && signs.length > 0)) return undefined
  const isMoney = BEFORE.test(money) || CURRENCIES.has(money)
  if (!isMoney || !AFTER.test(measure)) return undefined
  return { isNegative: isDebit || MINUS.includes(signs[0] ?? '+'), unit: `${money} ${measure}`.trim() }
}

function quantityOf({ digits, isNegative, unit }: Written, isByComma: boolean): Amount {
  const ungapped = digits.replace(GAPS, '')
  const number = isByComma ? ungapped.replaceAll('.', '').replace(',', '.') : ungapped.replaceAll(',', '')
  const value = new Exact(number)
  return { value: isNegative ? value.neg() : value, unit }
}

function noteOn(cell: string, row: number, { value }: Amount): string {
  const thousands = /\.\d{3}(?:\D*)$/.test(cell) ? `, not ${value.times(1000)}` : ''
  return `${shortLine(cell)} (row ${row + 1}) was read as ${value}${thousands}.`
}

function twoWays(cells: readonly string[], rows: readonly number[]): string {
  const both = rows.map(row => `"${shortLine(cells[row]!)}" (row ${row + 1})`).join(' and ')
  return `it writes numbers in two ways, ${both}`
}

function twoUnits(
  cells: readonly string[],
  values: Numbers['values'],
  [first = 0, ...others]: readonly number[],
): string | undefined {
  const other = others.find(at => values[at]!.unit !== values[first]!.unit)
  if (other === undefined) return undefined
  return `it has two units, "${shortLine(cells[first]!, 30)}" and "${shortLine(cells[other]!, 30)}"`
}
