import { holds } from '@agent-task-service/test-support/holds'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tablesIn } from '../table/find-tables.ts'
import { tableOf } from '../table/table.ts'

/** A row as drawn: what it is in truth, and its cells. */
interface Drawn {
  readonly isData: boolean
  readonly cells: string[]
}
type Pair = readonly [number, number]

const LABELS = [
  'Total',
  'TOTAL:',
  'Subtotal',
  'Sub-total',
  'Grand Total',
  'Team Totals',
  'Summe',
  'Gesamt',
  'Σ',
]
/** What data may be called. */
const LIKE_TOTALS = ['Total', 'Total Wine', 'Sum 41', 'Overall']
const NAMES = [...LIKE_TOTALS, 'Totality', 'UK']

const isWord = (label: string) => /\p{L}/u.test(label)

const pair = fc.tuple(fc.integer({ min: -20, max: 400 }), fc.integer({ min: 0, max: 60 }))
const decimals = fc.constantFrom(0, 2)
const layout = fc.record({
  groups: fc.array(fc.array(pair, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
  label: fc.constantFrom('', '', '-', ...LABELS),
  /** The column of the label; with the group's name before or behind it. */
  form: fc.constantFrom('first', 'second', 'before', 'behind'),
  subtotals: fc.boolean(),
  total: fc.constantFrom('none', 'last', 'last', 'first', 'off by one'),
  hasAverage: fc.boolean(),
  columns: fc.constantFrom(1, 2),
  decimals,
  named: fc.option(fc.tuple(fc.constantFrom(...NAMES), fc.boolean(), pair)),
})
type Layout = typeof layout extends fc.Arbitrary<infer Value> ? Value : never

function rowsOf(drawn: Layout): Drawn[] {
  const { label, form, columns } = drawn
  const written = (values: Pair) =>
    values.slice(0, columns).map(value => (value / 10 ** drawn.decimals).toFixed(drawn.decimals))
  const sum = (pairs: readonly Pair[]): Pair =>
    [0, 1].map(at => pairs.reduce((all, one) => all + one[at]!, 0)) as never
  const data = (name: string, item: string, values: Pair) => ({
    isData: true,
    cells: [name, item, ...written(values)],
  })
  const other = (group: string, word: string, values: Pair): Drawn => {
    const names = {
      first: [word, ''],
      second: [isWord(word) ? group : '', word],
      before: [isWord(word) ? `${word} ${group}`.trim() : word, ''],
      behind: [isWord(word) ? `${group} ${word}`.trim() : word, ''],
    }[form]!
    return { isData: false, cells: [...names, ...written(values)] }
  }
  const rows = drawn.groups.flatMap((pairs, at) => [
    ...pairs.map((values, item) => data(`g${at + 1}`, `item ${item + 1}`, values)),
    ...(drawn.subtotals ? [other(`g${at + 1}`, label, sum(pairs))] : []),
  ])
  const [name, isFirst, values] = drawn.named ?? []
  if (name !== undefined) rows.splice(isFirst ? 0 : rows.length, 0, data(name, 'x', values!))
  const all = sum([...drawn.groups.flat(), ...(values ? [values] : [])])
  const total = other('', label, drawn.total === 'off by one' ? [all[0] + 1, all[1]] : all)
  // Without a label, a first row is told by what is below it: the sum of at least two.
  if (
    drawn.total === 'first' &&
    (isWord(label) || (drawn.groups.flat().length > 1 && !drawn.subtotals && !drawn.named))
  )
    rows.unshift(total)
  if (drawn.total === 'last') rows.push(total)
  // Without a label, a row that is no sum is nothing to be seen.
  if (drawn.total === 'off by one' && isWord(label)) rows.push(total)
  const count = drawn.groups.flat().length
  if (drawn.hasAverage)
    rows.push(other('', 'Average', [Math.round(all[0] / count), Math.round(all[1] / count)]))
  return rows
}

/** The rows that are data, those that may be, and those that are told to be sums. */
function readOf(text: string) {
  const { data, leftOut, doubtful, notes } = tableOf(tablesIn(text)[0]!)
  const left = leftOut.flatMap(({ why, rows }) => (why.startsWith('total') ? rows : []))
  const noted = notes.flatMap(note => /^row (\d+), ".*", is the sum of all other rows/.exec(note)?.[1] ?? [])
  return { data, left, doubtful: [...doubtful], noted: noted.map(row => Number(row) - 1) }
}

test('a table with totals of any kind: no row counts twice, and none is left out, without a word', async () => {
  const outcomes = { right: 0, noted: 0, doubtful: 0 }
  await holds(
    1_000,
    fc.property(layout, drawn => {
      const rows = rowsOf(drawn)
      const text = [['name', 'item', 'a', 'b'].slice(0, 2 + drawn.columns), ...rows.map(({ cells }) => cells)]
        .map(cells => cells.join(';'))
        .join('\n')
      const { data, left, doubtful, noted } = readOf(text)
      expect([...data, ...left].toSorted((one, other) => one - other)).toEqual([...rows.keys()])
      const sumOf = (some: readonly number[]) =>
        some.reduce((sum, row) => sum + Number(rows[row]!.cells[2]), 0)
      if (doubtful.length === 0) {
        const others = rows.flatMap(({ isData }, row) => (isData ? [] : [row]))
        const untold = others.filter(row => ![...left, ...noted].includes(row))
        expect(sumOf(untold), text).toBeCloseTo(0, 6)
        outcomes[noted.length > 0 ? 'noted' : 'right'] += 1
        return
      }
      outcomes.doubtful += 1
      if (LIKE_TOTALS.includes(drawn.named?.[0] ?? '') || noted.length > 0) return
      const parts = data.filter(row => !doubtful.includes(row))
      const own = sumOf([...rows.keys()].filter(row => rows[row]!.isData))
      expect([sumOf(parts).toFixed(6), sumOf(data).toFixed(6)]).toContain(own.toFixed(6))
    }),
  )
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(0)
})
