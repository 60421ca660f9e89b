import { ToolError } from '@agent-task-service/engine/tool'
import type { TableArguments } from './arguments.ts'
import { filled, numbersOf, type Selection } from './column.ts'
import { Exact, isNumber } from './numbers.ts'
import { type Entry, largestFirst, OPERATIONS, type Result } from './operations.ts'
import { placeOf, plain, shown, type Table } from './table.ts'
import { type Comparison, comparisonText, type Fitting, fitting } from './where.ts'
import { groupLines, numberText, plural, rowText, usedText } from './wording.ts'

const MOST_GROUPS = 50
const MOST_ROWS = 50
const DEFAULT_TOP = 5
/** How the first cell of a row begins that sums up others. */
const TOTAL =
  /^(?:grand |sub[- ]?)?(?:totals?|sum|summe|gesamt\w*|totale|totaal|average|mean|overall|insgesamt)\b/i

export interface Asked {
  readonly operation: TableArguments['operation']
  readonly column: string
  readonly comparison: Comparison | undefined
  readonly group: string | undefined
  readonly n: number | undefined
}

/** Does an operation and words its result: the value, the rows used, the cells left out, notes. */
export function worded(table: Table, asked: Asked): string {
  const { operation, comparison, group } = asked
  if (operation === 'top' && group !== undefined)
    throw new ToolError(
      'top takes no group. For the groups with the largest sums, write sum with group, and n for how many.',
    )
  const place = placeOf(table, asked.column)
  const fit = comparison && fitting(table, comparison)
  const rows = fit?.rows ?? table.rows.map((_, at) => at)
  const selection = operation === 'count' ? counted(table, place, rows) : numbersOf(table, place, rows)
  const name = table.names[place]!
  const by = group === undefined ? '' : ` by ${table.names[placeOf(table, group)]}`
  const where = comparison ? ` where ${comparisonText(comparison)}` : ''
  const head = `${operation}${operation === 'top' ? ` ${topOf(asked)}` : ''} of ${name}${by}${where}:`
  const { lines, note } = linesOf(table, asked, selection)
  return [
    ...(lines.length === 1 && group === undefined && operation !== 'top'
      ? [`${head} ${lines[0]}`]
      : [head, ...lines]),
    ...usedText(table, selection, fit, comparison),
    ...notesOf(selection, fit, [note, ...notesOn(table, selection)]),
  ].join('\n')
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

function topOf({ n = DEFAULT_TOP }: Asked): number {
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
  const { operation, group, n } = asked
  if (operation === 'top') return topLines(table, topOf(asked), selection)
  const resultOf = OPERATIONS[operation === 'count' ? 'sum' : operation]
  if (group !== undefined) {
    const groups = groupsOf(table, placeOf(table, group), selection.entries).map(({ key, entries }) => ({
      key,
      rows: entries.length,
      result: resultOf(entries),
    }))
    const sign = operation === 'min' ? 1 : -1
    groups.sort((one, other) => sign * one.result.value.cmp(other.result.value))
    return { lines: groupLines(groups, Math.min(n ?? MOST_GROUPS, MOST_GROUPS), selection.unit) }
  }
  const result = selection.entries.length === 0 ? zero() : resultOf(selection.entries)
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

const isFilled = (cell: string) => cell.trim() !== ''

/** What a reader of the result would want to know. */
function notesOn({ names, rows, page }: Table, { entries }: Selection): string[] {
  const notes: string[] = []
  if (names.some(name => /^-?[\d.,]+$/.test(name) && !/^(?:19|20)\d\d$/.test(name)))
    notes.push(
      `the first row, ${names.slice(0, 8).join(', ')}, was read as the names of the columns, not as data.`,
    )
  const total = entries.find(({ row }) => TOTAL.test(rows[row]!.find(isFilled)?.trim() ?? ''))
  if (total) {
    const at = rows[total.row]!.findIndex(isFilled)
    const cell = shown(rows[total.row]![at]!)
    notes.push(
      `row ${total.row + 1}, "${cell}", was used as any other row. If it is a total, leave it out with where: "${names[at]} != ${cell}".`,
    )
  }
  if (page?.isCut) notes.push('only the beginning of this page was read: rows may be missing. Say so.')
  return notes
}
