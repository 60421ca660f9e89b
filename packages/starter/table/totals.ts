import type { Decimal } from 'decimal.js'
import { type Amount, type Column, Exact, isNumber } from './numbers.ts'

const TOTAL = 'totals?|subtotals?|totale|totaal|totalt|\\p{L}{0,20}summe|gesamt\\p{L}{0,20}|insgesamt|[Σ∑]'
const AVERAGE = 'average|mean|median|minimum|maximum|overall|Ø'
const LABEL = new RegExp(
  `^(?:grand |team |sub[- ]?)?(?:${TOTAL}|sum|summa|suma|somme)(?![\\p{L}\\d])|(?<![\\p{L}\\d])(?:${TOTAL}|average):?$|^(?:${AVERAGE}):?$`,
  'iu',
)
const OF_AVERAGE = new RegExp(AVERAGE, 'i')
const LONGEST_LABEL = 60
/** How many numbers are added up at most in looking for totals; what has a label after that is doubtful. */
const MOST_STEPS = 1_000_000

type Row = readonly string[]

/**
 * A row with a total's label is one if, in all columns that can be summed, it is the sum of at least two rows of data
 * directly before it; a row without text is if it is the last, of at least three before it and in at least two
 * columns. Others that have the label and a number, that are such a sum and lack a cell that all those rows have, or that are the
 * last and such a sum in two columns, are doubtful, unless a later total adds up only with them, or only without them.
 */
export class TotalRows {
  /** Rows that are the sum of others, by index. */
  readonly sure = new Set<number>()
  /** Rows that look so. */
  readonly doubtful = new Set<number>()
  /** Rows that have a total's label and are no sum, not even of one row: it may be a name. */
  readonly #named = new Set<number>()
  readonly #rows: readonly Row[]
  readonly #columns: readonly Column['values'][]
  readonly #places: readonly number[]
  /** Rows of data, and doubtful ones, in their order. */
  #before: number[] = []
  /** The places that all rows fill below the last one that looks like a total. */
  #filled: readonly number[]
  #steps = 0

  /** @param all the rows to look at, by index */
  constructor(rows: readonly Row[], all: readonly number[], columns: readonly Column[]) {
    this.#rows = rows
    this.#columns = columns.flatMap(({ type, values }) => (type === 'number' ? [values] : []))
    this.#places = [...columns.keys()]
    this.#filled = this.#places
    for (const row of all) this.#take(row, row === all.at(-1))
  }

  /** The row of data that is the sum of all others, of which there are at least two. */
  get ofAllOthers(): number | undefined {
    const rows = this.#sureOf(this.#before)
    const columns = this.#columns.map(values => ({ values, all: sumOf(values, rows) }))
    return rows.find(row => {
      const own = columns.filter(({ values }) => values[row])
      const isHalf = own.every(({ values, all }) => values[row]!.value.times(2).eq(all))
      return isHalf && own.some(({ all }) => !all.isZero()) && rows.length > 2
    })
  }

  #take(row: number, isLast: boolean): void {
    const cells = this.#rows[row]!
    const isTotal = cells.some(isLabel)
      ? this.#isLabelledSum(row)
      : !cells.some(isText) && this.#isLastSum(row, isLast)
    if (isLast && !isTotal && cells.some(isText) && this.#isSumInSome(row)) this.doubtful.add(row)
    if (isTotal) this.sure.add(row)
    else this.#before.push(row)
    if (isTotal || this.doubtful.has(row)) this.#filled = this.#places
    else if (this.#lacks(row)) this.#filled = this.#filled.filter(place => isFilled(cells[place]))
  }

  /** A labelled row that is no sum is doubtful. */
  #isLabelledSum(row: number): boolean {
    if (!this.#columns.some(values => values[row])) return false
    const isAverage = this.#rows[row]!.some(cell => isLabel(cell) && OF_AVERAGE.test(cell))
    const isSum = !isAverage && this.#isSum(row, 2)
    if (!isSum) this.doubtful.add(row)
    if (!isSum && this.#equal(row, this.#before.slice(-1)) === 0) this.#named.add(row)
    return isSum
  }

  /** Whether a row without text is the last, and the sum of all; other sums that lack a cell are doubtful. */
  #isLastSum(row: number, isLast: boolean): boolean {
    const lacks = this.#lacks(row)
    if (!isLast && (!lacks || this.#steps > MOST_STEPS)) return false
    const all = this.#sureOf(this.#before)
    const equal = this.#equal(row, all)
    if (isLast && all.length > 2 && equal > 1) return this.#settle(this.#before, true)
    if (lacks && (equal > 0 || this.#isSum(row, 1))) this.doubtful.add(row)
    return false
  }

  /** Whether a row is the sum of all others, of which there are at least three, in two columns or more. */
  #isSumInSome(row: number): boolean {
    const all = this.#sureOf(this.#before)
    const isSum = (values: Column['values']) => {
      const own = values[row]?.value
      return own !== undefined && !own.isZero() && sumOf(values, all).eq(own)
    }
    return all.length > 2 && this.#columns.filter(isSum).length > 1
  }

  /** Whether rows directly before one add up to it; if so, it settles what the doubtful ones among them are. */
  #isSum(row: number, least: number): boolean {
    const [values] = this.#columns
      .filter(values => values[row])
      .toSorted((one, other) => Number(isPercent(one[row]!)) - Number(isPercent(other[row]!)))
    let [sure, all] = [new Exact(0), new Exact(0)]
    for (let at = this.#before.length - 1; values && at >= 0 && this.#steps < MOST_STEPS; at -= 1) {
      this.#steps += 1
      const one = this.#before[at]!
      const value = values[one]?.value ?? 0
      all = all.plus(value)
      if (!this.doubtful.has(one)) sure = sure.plus(value)
      if (![sure, all].some(sum => sum.eq(values[row]!.value))) continue
      const block = this.#before.slice(at)
      const data = this.#sureOf(block)
      if (data.length >= least && this.#equal(row, data) > 0) return this.#settle(block, true)
      const mayBeData = block.every(one => !this.doubtful.has(one) || this.#named.has(one))
      if (mayBeData && block.length >= least && this.#equal(row, block) > 0) return this.#settle(block, false)
    }
    return false
  }

  #lacks(row: number): boolean {
    return this.#filled.some(place => !isFilled(this.#rows[row]![place]))
  }

  #sureOf(rows: readonly number[]): number[] {
    return rows.filter(row => !this.doubtful.has(row))
  }

  /** In how many columns a row is the sum of others; none if it is not in one that can be summed. */
  #equal(row: number, others: readonly number[]): number {
    if (others.length === 0) return 0
    let count = 0
    for (const values of this.#columns) {
      const own = values[row]
      if (!own) continue
      this.#steps += others.length
      const isEqual = sumOf(values, others).eq(own.value)
      // Percentages of parts do not add up to that of the whole.
      if (!isEqual && !isPercent(own)) return 0
      if (isEqual) count += 1
    }
    return count
  }

  /** A total adds up: the doubtful rows in its block are totals, or data. */
  #settle(block: readonly number[], areTotals: boolean): true {
    const settled = block.filter(row => this.doubtful.delete(row))
    if (!areTotals || settled.length === 0) return true
    for (const row of settled) this.sure.add(row)
    this.#before = this.#before.filter(row => !this.sure.has(row))
    return true
  }
}

/** Whether a cell names a row that sums up others. */
export function isLabel(cell: string): boolean {
  return cell.length <= LONGEST_LABEL && LABEL.test(cell.trim())
}

const isFilled = (cell: string | undefined) => cell !== undefined && cell.trim() !== ''
const isText = (cell: string) => /[\p{L}\p{N}]/u.test(cell) && !isNumber(cell)

const isPercent = ({ unit }: Amount) => unit === '%'

function sumOf(values: Column['values'], rows: readonly number[]): Decimal {
  return rows.reduce((sum, row) => sum.plus(values[row]?.value ?? 0), new Exact(0))
}
