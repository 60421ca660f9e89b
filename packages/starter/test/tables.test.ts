import { describe, expect, test } from 'vitest'
import { type TypedRows, typedRows } from '../code/typed-rows.ts'
import { tablesIn } from '../table/find-tables.ts'
import { tableOf } from '../table/table.ts'

const tablesOf = (text: string): TypedRows[] => tablesIn(text).map(found => typedRows(tableOf(found)))
/** The only table of a text. */
function read(text: string): TypedRows {
  const [table, ...others] = tablesOf(text)
  expect(others).toEqual([])
  return table!
}
const cellsOf = (text: string, name = 'x') => read(text).rows.map(row => row[name])
const column = (cells: readonly string[]) =>
  ['id;x', ...cells.map((cell, at) => `${at + 1};${cell}`)].join('\n')
const numbersOf = (cells: readonly string[]) => cellsOf(column(cells))
const notesOf = (text: string) => read(text).notes.join('; ')

describe('numbers as people write them', () => {
  // EVIDENCE-OF docs/reference/shipped-tools.md: 1,234.50, 1.234,50, 1 234.50, (5) for -5, 250* with a note; currency signs,
  //   percent signs and units, if all cells have the same.
  test.each<[string, string[], number[]]>([
    ['thousands with commas', ['1,234.50', '1,000', '2'], [1234.5, 1000, 2]],
    ['thousands with points', ['1.234,50', '1.000', '2'], [1234.5, 1000, 2]],
    ['thousands with spaces', ['1 234,5', '1\u00a0000', '2'], [1234.5, 1000, 2]],
    ['thousands with apostrophes', ["1'234.50", '1’000'], [1234.5, 1000]],
    ['lakhs', ['12,34,567', '1.5'], [1234567, 1.5]],
    ['signs', ['-1', '−2', '+5', '(1)'], [-1, -2, 5, -1]],
    ['dollars', ['$1,200.50', '-$0.50', '($100)'], [1200.5, -0.5, -100]],
    ['debits behind a sign', ['$(1,200.50)', '$ (1,200.50)', '$1'], [-1200.5, -1200.5, 1]],
    ['a minus behind', ['123,00-', '20,00'], [-123, 20]],
    ['euros behind', ['1.200,50 €', '-0,50 €'], [1200.5, -0.5]],
    ['codes', ['USD 5', 'USD 6'], [5, 6]],
    ['percent', ['12.5%', '7.5%'], [12.5, 7.5]],
    ['units', ['5 kg', '7.25 kg'], [5, 7.25]],
    ['footnotes', ['1,234[1]', '5[note 2]', '250*'], [1234, 5, 250]],
    ['exponents', ['1.5e-3', '2E3'], [0.0015, 2000]],
    ['no leading zero', ['.5', '0.25'], [0.5, 0.25]],
    ['what may be thousands, beside decimals with a comma', ['1,234', '2,5'], [1.234, 2.5]],
    ['what may be thousands, beside decimals with a point', ['1,234', '2.5'], [1234, 2.5]],
  ])('%s', (_, cells, numbers) => {
    expect(numbersOf(cells)).toEqual(numbers)
  })

  test.each([
    ['2024-01-15'],
    ['12:30'],
    ['Room (12)'],
    ['((12)'],
    ['3/4'],
    ['12 of 30'],
    ['Room 12'],
    ['~5'],
    ['5-'],
    ['1.2.3'],
    ['1,2,3'],
    ['PHQ 4'],
    ['5th'],
  ])('%s is not a number, and told', cell => {
    const text = column(['1', '2', cell])
    expect(cellsOf(text)).toEqual([1, 2, cell])
    expect(notesOf(text)).toContain(`1 of x are no numbers (row 3: "${cell}")`)
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: A column in two notations or units, with zeros in front, with more than 15
  //   digits, or of `+` and seven digits or more without a minus is text, and why is told
  test.each<[string[], string]>([
    [['1,234.50', '1.234,50'], 'it writes numbers in two ways, "1,234.50" (row 1) and "1.234,50" (row 2)'],
    [['1,234', '1.234'], 'it writes numbers in two ways'],
    [['5 kg', '300 g'], 'it has two units, "5 kg" and "300 g"'],
    [['5%', '0.2'], 'it has two units'],
    [['01234', '1234'], '"01234" begins with 0'],
    [['+49301', '49301', '7'], '"+49301" begins with +'],
    [['+4930123', '4930123'], '"+4930123" begins with +'],
    [['12345678901234567', '1'], '"12345678901234567" has more than 15 digits'],
  ])('%j are text', (cells, why) => {
    expect(numbersOf(cells)).toEqual(cells)
    expect(notesOf(column(cells))).toContain(`x is text: ${why}`)
  })

  test('differences of goals are numbers', () => {
    expect(numbersOf(['+12', '-3', '+1234567'])).toEqual([12, -3, 1234567])
    expect(numbersOf(['+12', '0', '+3'])).toEqual([12, 0, 3])
  })

  test('what was assumed is told', () => {
    expect(notesOf(column(['1,234', '5']))).toContain('1,234 (row 1) was read as 1234')
    expect(notesOf(column(['1.234', '5']))).toContain('1.234 (row 1) was read as 1.234, not 1234')
    expect(notesOf(column(['1.1', '1.10', '1.2']))).toContain('"1.1" and "1.10" are one number')
    expect(notesOf('North,12\nSouth,13')).toContain(
      'the first row, North, 12, was read as the names of the columns, not as data',
    )
    expect(notesOf(column(['250*', '3*', '1']))).toContain(
      '250* (row 1) was read as 250. 2 of its cells have such a mark',
    )
    expect(notesOf('day,x\n3 May 2024,1\n4 May 2024,2\nsoon,3')).toContain(
      'day is text, not dates as 2024-03-05 (row 3: "soon")',
    )
    expect(notesOf('a,x\n,1\nb,')).toContain('null, as empty: a (row 1), x (row 2)')
  })
})

describe('totals', () => {
  // EVIDENCE-OF docs/reference/shipped-tools.md: A row with a label of a total that is the sum, in all columns of numbers, of
  //   at least two rows directly before it is left out and named.
  test.each<[string, string[], (number | null)[]]>([
    ['one', ['p,q,1', 'r,s,2', 'Total,,3'], [1, 2]],
    ['in the second column', ['p,q,1', 'r,s,2', ',Team Totals,3'], [1, 2]],
    ['in other words', ['p,q,1', 'r,s,2', 'Gesamtsumme,,3'], [1, 2]],
    [
      'with subtotals',
      ['N,a,10', 'N,b,20', 'N subtotal,,30', 'S,c,5', 'S,d,1', 'S subtotal,,6', 'Total,,36'],
      [10, 20, 5, 1],
    ],
  ])('are left out and named: %s', (_, lines, kept) => {
    const text = ['a,b,x', ...lines].join('\n')
    expect(cellsOf(text)).toEqual(kept)
    expect(notesOf(text)).toMatch(/^left out: \d+ totals? \(row /)
    expect(notesOf(text)).toContain(lines.at(-1)!.split(',').find(Boolean))
  })

  test.each(['Total', 'Sub total', 'subtotal', 'Grand Total:', 'Team Totals', 'Total North', 'Σ'])(
    '%s is the label of one',
    label => {
      expect(notesOf(`a,b,x\np,q,1\nr,s,2\n${label},,3`)).toBe(`left out: 1 total (row 3: "${label}")`)
    },
  )

  test('subtotals of one row, if a later total adds up only without them', () => {
    expect(cellsOf('who,x\nShell,10\nTotal,7\nBP,5\nSum,22')).toEqual([10, 7, 5])
    expect(cellsOf('r,x\nN,10\nN,20\nN Total,30\nS,5\nS Total,5\nGrand Total,35')).toEqual([10, 20, 5])
  })

  test.each([
    ['1, 2, 3', 'who,x\np,1\nq,2\nr,3', 'row 3, "r", is the sum of all other rows, and was read as data'],
    ['a country beside its parts', 'who,x\nUK,64\nEngland,56\nScotland,8', 'row 1, "UK", is the sum of all'],
    ['goal differences', 'who,x\np,+5\nq,-3\nr,+1', ''],
  ])('%s are data, and told', (_, text, told) => {
    expect(read(text).rows).toHaveLength(3)
    expect(read(text).doubtful).toEqual([])
    expect(notesOf(text)).toContain(told)
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: Without a label, only the last row is, if it has no text and is the sum of
  //   at least three in at least two columns.
  test('without a label, only the last in two columns is one', () => {
    expect(cellsOf('a,x,y\np,1,10\nq,2,20\nr,3,30\n,6,60')).toEqual([1, 2, 3])
    expect(cellsOf('x,y\n1,10\n2,20\n3,31')).toEqual([1, 2, 3])
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: A table with another row that may sum up others is refused: `tables[0].all`
  //   counts it, `tables[0].parts` leaves it out
  test.each([
    ['a label that does not add up', 'a,x\np,1\nq,2\nTotal,4', 'row 3 ("Total")'],
    ['an average', 'a,x\np,1\nq,3\nAverage,2', 'row 3 ("Average")'],
    [
      'a sum of all in some columns',
      'year,g,s,avg\n1990,1,10,10\n1991,2,20,10\n1992,4,40,10\nCareer,7,70,10',
      'row 4 ("Career")',
    ],
    ['the first row', 'a,x\nTotal,3\np,1\nq,2', 'row 1 ("Total")'],
    ['a sum without a label', 'a,x\np,1\nq,2\nr,3\n,6', 'row 4 ("6")'],
  ])('may be data: %s', (_, text, label) => {
    expect(read(text).doubtful.map(one => one.label)).toEqual([label])
  })

  test('rows that only begin like an average, or hold no number, are none', () => {
    expect(read('a,x\nAverage high,1\nAverage low,5\nTotal rain,9').doubtful.map(({ at }) => at)).toEqual([2])
    expect(read('a,x\nTotal,Made\np,1\nq,5').doubtful).toEqual([])
  })

  test.each(['a,x\np,1\nq,2\nr,3', 'a,x\nEurope,3\nSpain,1\nFrance,2'])('are none: %j', text => {
    expect(read(text).rows).toHaveLength(3)
    expect(read(text).doubtful).toEqual([])
  })

  test('a line that says where the rows are from is none', () => {
    const text = 'a,x\np,1\nq,2\n"Source: the office, 2024",'
    expect(cellsOf(text)).toEqual([1, 2])
    expect(notesOf(text)).toContain('left out: 1 below the rows (row 3: "Source: the office, 2024")')
  })
})

describe('tables', () => {
  // EVIDENCE-OF docs/reference/shipped-tools.md: CSV, TSV, with semicolons too, Markdown, boxes and HTML in the task, and
  //   tables, CSV and TSV of pages.
  test.each<[string, string, (string | number | null)[]]>([
    ['Markdown', 'Sum?\n\n| Name | x |\n|:--|--:|\n| a \\| b | **1,200** |\n| c | 3 |\n\nThanks', [1200, 3]],
    ['TSV, with empty cells', 'a\tx\tc\n1\t\t3\n2\t5\t', [null, 5]],
    [
      'Windows line ends, quotes and lines in cells',
      'name,x\r\n"Doe, Jane",1\r\n"two\r\nlines",2\r\n"say ""hi""",3',
      [1, 2, 3],
    ],
    ['quotes behind a backslash', 'name,x\n"say \\"hi, you\\" now",1\nb,2', [1, 2]],
    [
      'lines in the first row',
      '```\nTake the 5" ones, or "all", so sum:\nname,x\n"two\n\nlines","1"\n"a\nb",2\n```',
      [1, 2],
    ],
    ['a sentence above and below', 'Add this up, please:\na;x\np;1,5\nq;2,5\nWhat is the sum?', [1.5, 2.5]],
    ['the first line of Excel', 'sep=;\nitem;x\nNails;10\nWood;20', [10, 20]],
    [
      'a box of a database',
      '+---+---+\n| k | x |\n+---+---+\n| a | 1 |\n+---+---+\n| b | 2 |\n+---+---+\n2 rows in set',
      [1, 2],
    ],
    ['a box of lines', '┌───┬───┐\n│ k │ x │\n├───┼───┤\n│ a │ 1 │\n│ b │ 2 │\n└───┴───┘', [1, 2]],
    ['psql', ' k | x \n---+---\n a | 1\n b | 2\n(2 rows)', [1, 2]],
    [
      'HTML',
      '<table><tr><th>item</th><th>x</th></tr><tr><td>Nails</td><td>10</td></tr><tr><td>Wood</td><td>20</td></tr></table>',
      [10, 20],
    ],
    ['TSV whose cells have commas', 'who, a, b\tx\nDoe, J, K\t1\nRoe, L, M\t2', [1, 2]],
    ['semicolons before commas', 'a, b, c;x\nd, e, f;1\ng, h, i;2', [1, 2]],
    ['a blank line between rows', 'region,x\nN,1\nS,2\n\nE,3\nW,4', [1, 2, 3, 4]],
    [
      'blank lines between single rows',
      'region;x\nN;n/a\nS;2\n \nE;3\n\n\nW;4\n\nThanks; all',
      ['n/a', 2, 3, 4],
    ],
    ['a blank line in Markdown', '| a | x |\n|--|--|\n| N | 1 |\n\n| S | n/a |\n| E | 3 |', [1, 'n/a', 3]],
    ['a blank line in a cell', 'k,x\na,1\n"two\n\nlines",2\nc,3', [1, 2, 3]],
  ])('%s', (_, text, cells) => {
    expect(cellsOf(text)).toEqual(cells)
  })

  test.each([
    ['name,x\nN,1\n\nname,2023\nS,2', 2],
    ['name,x\nN,1\n\nwho,paid\nS,2', 2],
    ['| a | x |\n|--|--|\n| N | 1 |\n\n| b | 2 |\n|--|--|\n| S | 2 |', 2],
    ['name,x\nN,1\n\nIn total, 3', 1],
    ['| a | x |\n|--|--|\n| N | 1 |\n\nEither | or', 1],
  ])('a table below a blank line stays one of its own: %j', (text, count) => {
    const tables = tablesOf(text)
    expect(tables).toHaveLength(count)
    expect(tables[0]!.rows.map(({ x }) => x)).toEqual([1])
  })

  test('two columns of one name are told apart', () => {
    expect(read('a,x,x\n1,2,3\n4,5,6').rows[0]).toEqual({ a: 1, 'x (1)': 2, 'x (2)': 3 })
  })

  test('rows of fewer cells have null', () => {
    expect(cellsOf('region,x\nNorth,120\nSouth\nEast,300')).toEqual([120, null, 300])
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: is text, and why is told
  test.each([
    [['10', 'tbd', 'open', '20'], 'x is text: 2 are no numbers (row 2: "tbd")'],
    [['05.01.2024', '07.03.2024'], 'x is text, not dates as 2024-03-05 (row 1: "05.01.2024")'],
    [['2024-1-5', '2024-10-01'], 'x is text, not dates as 2024-03-05 (row 1: "2024-1-5")'],
  ])('%j are text, and told', (cells, why) => {
    expect(notesOf(column(cells))).toContain(why)
  })

  test('rows of more cells than names are left out, and told', () => {
    const text = 'a,x\np,1\nq,2\nr,1,234'
    expect(cellsOf(text)).toEqual([1, 2])
    expect(notesOf(text)).toContain('left out: 1 with more cells than there are names (row 3)')
  })

  test('a text has none', () => {
    expect(tablesOf('How tall is the mill, in metres?')).toEqual([])
  })
})

describe('bounds', () => {
  const faultOf = (text: string) => tableOf(tablesIn(text)[0]!).fault

  test('quotes that never end are refused, with the row', () => {
    expect(faultOf('a,x\np,1\n"q,2\nr,3')).toContain('a quote that opens in row 2 is not closed')
    expect(faultOf('a,x\n"p,1\nr,3')).toContain('in row 1 is not')
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: At most 100 tables of 100,000 rows and 200 columns
  test('more tables, columns or rows than are read are refused or left out', () => {
    const wide = `${Array.from({ length: 201 }, (_, at) => `c${at}`).join()}\n${Array(201).fill('1').join()}`
    expect(faultOf(wide)).toContain('more than 200 columns')
    expect(faultOf(`a,x\n${'p,1\n'.repeat(100_001)}`)).toContain('more than 100000 rows')
    expect(tablesIn('a,x\n1,2\n\nb,y\n3,4\n\n'.repeat(60))).toHaveLength(100)
  })
})
