import { ToolError } from '@agent-task-service/engine/tool'
import type { TableArguments } from './arguments.ts'
import type { Placed } from './choose-table.ts'
import { filled, numbersOf, type Selection } from './column.ts'
import { Exact, isNumber } from './numbers.ts'
import { type Entry, largestFirst, OPERATIONS, type Result } from './operations.ts'
import { labelOf, placeOf, plain, shown, type Table } from './table.ts'
import { type Comparison, comparisonText, type Fitting, fitting, isOfRows } from './where.ts'
import { cellsText, groupLines, leftOutText, numberText, plural, rowText, usedText } from './wording.ts'

const MOST_GROUPS = 50
const MOST_ROWS = 50
const DEFAULT_TOP = 5

export interface Asked {
  readonly call: TableArguments
  /** That of the call without the table's number. */
  readonly column: string
  readonly comparisons: readonly Comparison[]
  readonly group: string | undefined
}

/**
 * Does an operation and words its result: the value, the rows used, the cells left out, notes.
 *
 * @throws {ToolError} with a call for each reading, if the result depends on rows that may be totals of others
 */
export function worded(table: Placed, asked: Asked): string {
  const { call, comparisons, group } = asked
  const { operation } = call
  if (operation === 'top' && group !== undefined)
    throw new ToolError(
      'top takes no group. For the groups with the largest sums, write sum with group, and n for how many.',
    )
  const fit = comparisons.length > 0 ? fitting(table, comparisons) : undefined
  const rows = fit?.rows ?? table.data
  const { lines, selection, note } = resultOf(table, asked, rows)
  expectOneReading(table, asked, rows, lines)
  const name = table.names[placeOf(table, asked.column)]!
  const by = group === undefined ? '' : ` by ${table.names[placeOf(table, group)]}`
  const where = fit ? ` where ${comparisonText(comparisons)}` : ''
  const head = `${operation}${operation === 'top' ? ` ${topOf(call)}` : ''} of ${name}${by}${where}:`
  return [
    ...(lines.length === 1 && group === undefined && operation !== 'top'
      ? [`${head} ${lines[0]}`]
      : [head, ...lines]),
    ...usedText(table, selection, fit, comparisons),
    ...notesOf(selection, fit, [note, ...table.notes, cutNote(table)]),
  ].join('\n')
}

function resultOf(table: Table, asked: Asked, rows: readonly number[]) {
  const place = placeOf(table, asked.column)
  const isCount = asked.call.operation === 'count'
  const selection = isCount ? counted(table, place, rows) : numbersOf(table, place, rows)
  return { selection, ...linesOf(table, asked, selection) }
}

/** A row that may be a total is used only if the call names it, or if it makes no difference. */
function expectOneReading(
  table: Table,
  asked: Asked,
  rows: readonly number[],
  lines: readonly string[],
): void {
  const { call, comparisons } = asked
  const doubtful = rows.filter(row => table.doubtful.has(row))
  const others = rows.filter(row => !table.doubtful.has(row))
  const isNamed = others.length === 0 && comparisons.every(({ operator }) => operator === '=')
  if (doubtful.length === 0 || isNamed || comparisons.some(one => isOfRows(table, one))) return
  if (others.length > 0 && isSame(() => resultOf(table, asked, others).lines, lines)) return
  const callWith = (comparison: string) =>
    JSON.stringify({
      ...call,
      where: comparisons.length > 0 ? `${call.where} and ${comparison}` : comparison,
    })
  const labels = cellsText(
    doubtful,
    doubtful.map(row => labelOf(table.rows[row]!)),
  )
  throw new ToolError(
    [
      `Two readings: ${plural(doubtful.length, 'row')} may be totals of others, or data. Write the call that is meant.`,
      `Without ${labels}: ${callWith('row != total')}`,
      `With: ${callWith('row >= 1')}`,
      ...leftOutText(table.leftOut),
    ].join('\n'),
  )
}

function isSame(work: () => readonly string[], lines: readonly string[]): boolean {
  try {
    return work().join() === lines.join()
  } catch {
    return false
  }
}

/** What is told of the column that is compared is not told again of the one that is calculated with. */
function notesOf(
  { note }: Selection,
  fit: Fitting | undefined,
  others: readonly (string | undefined)[],
): string[] {
  const compared = (fit?.notes ?? []).filter(one => note === undefined || !one.endsWith(note))
  return [note, ...compared, ...others].flatMap(one => (one ? [`Note: ${one}`] : []))
}

function topOf({ n = DEFAULT_TOP }: TableArguments): number {
  return Math.min(n, MOST_ROWS)
}

/** Each cell that holds something counts as one. */
function counted(table: Table, place: number, rows: readonly number[]): Selection {
  const { kept, leftOut } = filled(table, place, rows)
  const one = new Exact(1)
  const entries = kept.map(row => ({ row, value: one }))
  const others = kept.map(row => table.rows[row]![place]!).filter(cell => !isNumber(cell))
  const isOfNumbers = others.length > 0 && others.length < kept.length / 2
  const note = isOfNumbers
    ? `not numbers are ${others.length} of these cells, such as "${shown(others[0]!, 30)}".`
    : undefined
  return { entries, leftOut, unit: { before: '', after: '' }, note }
}

function linesOf(
  table: Table,
  asked: Asked,
  selection: Selection,
): { lines: string[]; note?: string | undefined } {
  const { group, call } = asked
  const { operation, n } = call
  if (operation === 'top') return topLines(table, topOf(call), selection)
  const fold = OPERATIONS[operation === 'count' ? 'sum' : operation]
  if (group !== undefined) {
    const groups = groupsOf(table, placeOf(table, group), selection.entries).map(({ key, entries }) => ({
      key,
      rows: entries.length,
      result: fold(entries),
    }))
    const sign = operation === 'min' ? 1 : -1
    groups.sort((one, other) => sign * one.result.value.cmp(other.result.value))
    return { lines: groupLines(groups, Math.min(n ?? MOST_GROUPS, MOST_GROUPS), selection.unit) }
  }
  const result = selection.entries.length === 0 ? zero() : fold(selection.entries)
  const at = operation === 'min' || operation === 'max' ? extremes(table, selection.entries, result) : ''
  return { lines: [`${numberText(result, selection.unit)}${at}`] }
}

const zero = (): Result => ({ value: new Exact(0), isRounded: false })

/** The row of the smallest or largest value, and how many more there are. */
function extremes(table: Table, entries: readonly Entry[], { value }: Result): string {
  const [first, ...more] = entries.filter(one => one.value.eq(value))
  const others = more.length > 0 ? `; ${plural(more.length, 'more row')} with it` : ''
  return ` (${rowText(table, first!.row)}${others})`
}

function topLines(
  table: Table,
  most: number,
  { entries, unit }: Selection,
): { lines: string[]; note?: string | undefined } {
  const sorted = largestFirst(entries)
  const top = sorted.slice(0, most)
  const lines = top.map(({ row, value }, at) => {
    return `${at + 1}. ${numberText({ value, isRounded: false }, unit)} (${rowText(table, row)})`
  })
  const last = top.at(-1)!.value
  const ties = sorted.slice(most).filter(({ value }) => value.eq(last)).length
  const value = numberText({ value: last, isRounded: false }, unit)
  const note =
    ties === 0 ? undefined : `${plural(ties, 'more row')} ${ties === 1 ? 'has' : 'have'} ${value} as well.`
  return { lines, note }
}

function groupsOf(table: Table, place: number, entries: readonly Entry[]) {
  const groups = new Map<string, { key: string; entries: Entry[] }>()
  for (const entry of entries) {
    const cell = table.rows[entry.row]![place] ?? ''
    const key = plain(cell)
    const group = groups.get(key)
    if (group) group.entries.push(entry)
    else groups.set(key, { key: shown(cell) || '(empty)', entries: [entry] })
  }
  return [...groups.values()]
}

function cutNote({ page }: Placed): string | undefined {
  return page?.isCut ? 'only the beginning of this page was read: rows may be missing. Say so.' : undefined
}
