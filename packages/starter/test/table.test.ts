import { answerTable, type TableArguments } from '@agent-task-service/starter/table'
import Papa from 'papaparse'
import { describe, expect, test, vi } from 'vitest'

const asked = (text: string, args: TableArguments) =>
  answerTable(args, { state: { messages: [{ type: 'human', text }] } })
const refused = (text: string, args: TableArguments) =>
  asked(text, args).then(
    answer => expect.unreachable(answer),
    ({ name, message }: Error) => {
      expect(name).toBe('ToolError')
      return message
    },
  )
const column = (cells: readonly string[]) =>
  ['id;x', ...cells.map((cell, at) => `${at + 1};${cell}`)].join('\n')
const sumOf = (cells: readonly string[]) => asked(column(cells), { operation: 'sum', column: 'x' })
const firstLine = async (answer: Promise<string>) => (await answer).split('\n')[0]

const SALES = `Here are our sales, please have a look:

region,product,amount
North,Tea,0.1
South,Tea,0.2
North,Coffee,12
South,Coffee,n/a
West,Tea,

What is the sum, and which region sold most?`

describe('operations', () => {
  test.each([
    ['sum', 'sum of amount: 12.3'],
    ['mean', 'mean of amount: 4.1'],
    ['median', 'median of amount: 0.2'],
    ['min', 'min of amount: 0.1 (row 1: region = North, product = Tea, amount = 0.1)'],
    ['max', 'max of amount: 12 (row 3: region = North, product = Coffee, amount = 12)'],
  ] as const)('%s', async (operation, line) => {
    expect(await firstLine(asked(SALES, { operation, column: 'amount' }))).toBe(line)
  })

  test('count counts the cells that are not empty', async () => {
    expect(await asked(SALES, { operation: 'count', column: 'amount' })).toBe(
      'count of amount: 4\nRows used: 4 of 5 (table 1, in the task).\nLeft out: 1 empty (row 5).\nNote: not numbers are 1 of these cells, such as "n/a".',
    )
  })

  test('top n lists rows, and says if the next is as large', async () => {
    const text = 'name,points\nAnn,7\nBo,9\nCy,9\nDi,7\nEd,'
    expect(await asked(text, { operation: 'top', column: 'points', n: 3 })).toBe(
      'top 3 of points:\n1. 9 (row 2: name = Bo, points = 9)\n2. 9 (row 3: name = Cy, points = 9)\n3. 7 (row 1: name = Ann, points = 7)\nRows used: 4 of 5 (table 1, in the task).\nLeft out: 1 empty (row 5).\nNote: 1 more row has 7 as well.',
    )
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: Sums are decimal: 0.1 + 0.2 is 0.3; a mean that does not end is marked `≈`
  test('a mean that does not end is rounded, and says so', async () => {
    expect(await firstLine(asked('a,b\nx,1\ny,1\nz,0', { operation: 'mean', column: 'b' }))).toBe(
      'mean of b: ≈ 0.666666666666667',
    )
  })
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Sums are decimal: 0.1 + 0.2 is 0.3; a mean that does not end is marked `≈`
test('sums are decimal, however many', async () => {
  expect(await firstLine(sumOf(['0.1', '0.2']))).toBe('sum of x: 0.3')
  expect(await firstLine(sumOf(Array(500).fill('19.99')))).toBe('sum of x: 9995')
  expect(await firstLine(sumOf(['12345678901234567890.01', '1e-9', '-1']))).toBe(
    'sum of x: 12345678901234567889.010000001',
  )
})

// EVIDENCE-OF docs/reference/shipped-tools.md: How many rows were used, which cells were left out and why; also what was
//   assumed about 1,234, a first row of numbers, and a row of totals
test('tells which rows are used and which cells are left out, and why', async () => {
  expect(await asked(SALES, { operation: 'sum', column: 'amount' })).toBe(
    'sum of amount: 12.3\nRows used: 3 of 5 (table 1, in the task).\nLeft out: 1 empty (row 5), 1 not a number (row 4: "n/a").',
  )
})

describe('groups', () => {
  test('are sorted by value, the largest first', async () => {
    expect(await asked(SALES, { operation: 'sum', column: 'amount', group: 'region' })).toBe(
      'sum of amount by region:\nNorth: 12.1 (2 rows)\nSouth: 0.2 (1 row)\nRows used: 3 of 5 (table 1, in the task).\nLeft out: 1 empty (row 5), 1 not a number (row 4: "n/a").',
    )
  })

  test('n limits how many are shown, and the rest is told', async () => {
    const answer = await asked(SALES, { operation: 'count', column: 'product', group: 'region', n: 1 })
    expect(answer).toContain('by region:\nNorth: 2 (2 rows)\n... and 2 more groups\n')
  })

  test('of the smallest values begin with the smallest', async () => {
    const text = 'k,v\na,5\nb,1\nc,3\na,4'
    expect(await asked(text, { operation: 'min', column: 'v', group: 'k', n: 2 })).toContain(
      'min of v by k:\nb: 1 (1 row)\nc: 3 (1 row)\n... and 1 more group\n',
    )
  })

  test('do not depend on case or white space', async () => {
    const answer = await asked('k,v\nNorth,1\nnorth ,2', { operation: 'sum', column: 'v', group: 'k' })
    expect(answer).toContain('North: 3 (2 rows)')
  })

  test('top takes none, and says what to write', async () => {
    expect(await refused(SALES, { operation: 'top', column: 'amount', group: 'region' })).toContain(
      'sum with group',
    )
  })
})

describe('where', () => {
  test.each([
    ['region = North', '12.1'],
    ['region == "north"', '12.1'],
    ["`region` != 'North'", '0.2'],
    ['amount > 0.1', '12.2'],
    ['amount >= 0.1', '12.3'],
    ['Amount<0.2', '0.1'],
    ['amount <= 0.20', '0.3'],
    ['amount ≠ 12', '0.3'],
    ['amount = 12.00', '12'],
  ])('%s', async (where, value) => {
    expect(await firstLine(asked(SALES, { operation: 'sum', column: 'amount', where }))).toMatch(
      new RegExp(`: ${value.replaceAll('.', '\\.')}$`),
    )
  })

  test('tells how many rows fit, and how many cannot be compared', async () => {
    const answer = await asked(SALES, { operation: 'count', column: 'region', where: 'amount > 0.1' })
    expect(answer).toContain('Rows used: 2 of 5, of which 2 fit amount > 0.1 (table 1, in the task).')
    expect(answer).toContain('Not compared: 2 cells of amount that are no numbers or dates (rows 4, 5).')
  })

  test('compares dates', async () => {
    const text = 'day\tx\n2024-01-31\t1\n2024-02-01\t2\n2024-03-01\t4'
    expect(
      await firstLine(asked(text, { operation: 'sum', column: 'x', where: 'day >= 2024-02-01' })),
    ).toMatch(/: 6$/)
    expect(await firstLine(asked(text, { operation: 'sum', column: 'x', where: 'day <= 2024-02' }))).toMatch(
      /: 3$/,
    )
  })

  test.each<[string, string | undefined, string]>([
    ['day = 2024-03-15', '2', ''],
    ['day >= 2024-03-15 00:00:00', '6', 'Not compared: 2 cells of day that are no dates as exact'],
    ['day < 2024-03-15T00:00', '1', '(rows 4, 5)'],
    ['day <= 2024-03-15 10:30', '1', '(rows 2, 4, 5)'],
    ['day > 2024-03-14T09:00:00Z', '6', '(rows 4, 5)'],
    ['day != 2024-03-15', '5', '(rows 4, 5)'],
    ['day < 2024-04-01', '15', '(row 5)'],
  ])('compares times and dates of other exactness: %s', async (where, sum, told) => {
    const text =
      'day\tx\n2024-03-14T08:30:00Z\t1\n2024-03-15\t2\n2024-03-16 00:00\t4\n2024-03\t8\n15 March 2024\t16'
    const answer = await asked(text, { operation: 'sum', column: 'x', where })
    expect(answer.split('\n')[0]).toBe(`sum of x where ${where}: ${sum}`)
    expect(answer).toContain(told)
  })

  test.each(['day < 2024-03-31x', 'day >= 2024-03-01 and d', 'day != 2024-03-01 to 2024-04-01'])(
    'refuses text behind a date: %s',
    async where => {
      const text = 'day,x\n2024-03-14,1\n2024-03-15,2'
      expect(await refused(text, { operation: 'sum', column: 'x', where })).toContain(
        'expected one comparison',
      )
    },
  )

  test.each([
    ['x < 12.50', '2'],
    ['x < 12,50', '2'],
    ['x >= 1.000', '4'],
  ])('reads a number in its own notation, else in that of the column: %s', async (where, sum) => {
    const text = column(['12,99', '7,50', '100,00', '1.000,00'])
    expect(await firstLine(asked(text, { operation: 'sum', column: 'id', where }))).toBe(
      `sum of id where ${where}: ${sum}`,
    )
  })

  test.each([
    ['region != Nord', 'Note: no cell is Nord; region holds North, South, West.'],
    ['amount != 13', 'Note: no cell is 13; amount holds 0.1, 0.2, 12, n/a, (empty).'],
    ["region != 'North' and 'South'", "Note: no cell is 'North' and 'South'; region holds North"],
  ])('tells that no cell is the value of %s', async (where, note) => {
    expect(await asked(SALES, { operation: 'sum', column: 'amount', where })).toContain(note)
    const known = { operation: 'sum', column: 'amount', where: 'region != North' } as const
    expect(await asked(SALES, known)).not.toContain('no cell is')
  })

  test('tells how the numbers that it compares were read, once', async () => {
    const text = 'a;b\n1.200;1\n3.400;2'
    const where = 'a > 2'
    expect(await asked(text, { operation: 'sum', column: 'b', where })).toContain(
      '\nNote: of a, 1.200 (row 1) was read as 1.2, not 1200.',
    )
    expect((await asked(text, { operation: 'sum', column: 'a', where })).split('Note: ')).toHaveLength(2)
  })

  test('compares in the unit of the column, and in no other', async () => {
    const sumWhere = (where: string) =>
      asked(column(['$5', '$20']), { operation: 'sum', column: 'id', where })
    expect(await firstLine(sumWhere('x > 10'))).toMatch(/: 2$/)
    expect(await firstLine(sumWhere('x > $10'))).toMatch(/: 2$/)
    expect(
      await refused(column(['$5', '$20']), { operation: 'sum', column: 'id', where: 'x > 10 €' }),
    ).toContain('more than one unit ("$", "€")')
    expect(await refused(column(['$5']), { operation: 'sum', column: 'id', where: 'x = 5 €' })).toContain(
      'No row fits',
    )
  })

  test('lists what the column holds if nothing fits', async () => {
    expect(await refused(SALES, { operation: 'sum', column: 'amount', where: 'region = Nord' })).toContain(
      'No row fits region = Nord; region holds North, South, West',
    )
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: Two are refused; cells that are less exact than the value, or of another
  //   kind, are left out and told
  test.each([
    'region',
    'region = North and product = Tea',
    "region = 'North' or region = 'South'",
    '= North',
    'amount > many',
  ])('refuses what is not one comparison: %s', async where => {
    expect(await refused(SALES, { operation: 'sum', column: 'amount', where })).toContain(
      'expected one comparison',
    )
  })
})

describe('columns', () => {
  // EVIDENCE-OF docs/reference/shipped-tools.md: Names as in the first row, else without regard to case and white space.
  test('are found without regard to case and white space', async () => {
    expect(await firstLine(asked('a,Unit  Price \nx,3', { operation: 'sum', column: 'unit price' }))).toBe(
      'sum of Unit Price: 3',
    )
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: An unknown one is refused with the list
  test('an unknown one is refused with the list', async () => {
    expect(await refused(SALES, { operation: 'sum', column: 'price' })).toBe(
      'There is no column "price" in the table; its columns are region, product, amount. Write one of these names.',
    )
  })

  test('two of one name are told apart, never confused', async () => {
    const text = 'a,x,x\n1,2,3\n4,5,6'
    expect(await refused(text, { operation: 'sum', column: 'x' })).toContain('columns are a, x (1), x (2)')
    expect(await firstLine(asked(text, { operation: 'sum', column: 'x (2)' }))).toBe('sum of x (2): 9')
  })

  test('a first row of numbers is told, since it may be data', async () => {
    expect(await asked('North,12\nSouth,13', { operation: 'sum', column: '12' })).toContain(
      'Note: the first row, North, 12, was read as the names of the columns, not as data.',
    )
  })
})

describe('numbers as people write them', () => {
  test.each<[string, string[], string]>([
    ['thousands with commas', ['1,234.50', '1,000', '2'], '2236.5'],
    ['thousands with points', ['1.234,50', '1.000', '2'], '2236.5'],
    ['thousands with spaces', ['1 234,5', '1\u00a0000', '2'], '2236.5'],
    ['thousands with apostrophes', ["1'234.50", '1’000'], '2234.5'],
    ['lakhs', ['12,34,567', '1.5'], '1234568.5'],
    ['signs', ['-1', '−2', '+5', '(1)'], '1'],
    ['dollars', ['$1,200.50', '-$0.50', '($100)'], '$1100'],
    ['debits behind a sign', ['$(1,200.50)', '$ (1,200.50)', '$1'], '-$2400'],
    ['euros behind', ['1.200,50 €', '-0,50 €'], '1200 €'],
    ['codes', ['USD 5', 'USD 6'], 'USD 11'],
    ['percent', ['12.5%', '7.5%'], '20%'],
    ['units', ['5 kg', '7.25 kg'], '12.25 kg'],
    ['footnotes', ['1,234[1]', '5[note 2]'], '1239'],
    ['exponents', ['1.5e-3', '2E3'], '2000.0015'],
    ['no leading zero', ['.5', '0.25'], '0.75'],
  ])('%s', async (_, cells, sum) => {
    expect(await firstLine(sumOf(cells))).toBe(`sum of x: ${sum}`)
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
  ])('%s is not a number', async cell => {
    expect(await sumOf(['1', cell])).toContain(`Left out: 1 not a number (row 2: "${cell}")`)
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: A column in two notations or units is refused, with a cell of each
  test('a column that writes numbers in two ways is refused, with both', async () => {
    expect(await refused(column(['1,234.50', '1.234,50']), { operation: 'sum', column: 'x' })).toBe(
      'The column x writes numbers in two ways, 1,234.50 (row 1) and 1.234,50 (row 2): some may be misread. Say so, and ask for one way.',
    )
    expect(await refused(column(['1,234', '1.234']), { operation: 'max', column: 'x' })).toContain('two ways')
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: How many rows were used, which cells were left out and why; also what was
  //   assumed about 1,234, a first row of numbers, and a row of totals
  test('what may be thousands or decimals follows the rest of the column; else it is told how it was read', async () => {
    expect(await firstLine(sumOf(['1,234', '2,5']))).toBe('sum of x: 3.734')
    expect(await firstLine(sumOf(['1,234', '2.5']))).toBe('sum of x: 1236.5')
    expect(await sumOf(['1,234', '5'])).toContain('Note: 1,234 (row 1) was read as 1234.')
    expect(await sumOf(['1.234', '5'])).toContain('Note: 1.234 (row 1) was read as 1.234, not 1234.')
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: A column in two notations or units is refused, with a cell of each
  test('a column with two units is refused, unless the filter leaves one', async () => {
    expect(await refused(column(['5 kg', '300 g']), { operation: 'sum', column: 'x' })).toBe(
      'The column x has two units, "5 kg" (row 1) and "300 g" (row 2): they do not add up. Choose rows of one unit by where, or say so.',
    )
    expect(await refused(column(['5%', '0.2']), { operation: 'sum', column: 'x' })).toContain('two units')
    const where = 'id = 1'
    expect(await firstLine(asked(column(['5 kg', '300 g']), { operation: 'sum', column: 'x', where }))).toBe(
      'sum of x where id = 1: 5 kg',
    )
  })

  test('no number at all is refused, with what is there', async () => {
    expect(await refused(SALES, { operation: 'sum', column: 'region' })).toContain(
      'No cell of region is a number: it holds North, South, West',
    )
  })
})

describe('tables', () => {
  test('in Markdown, with escaped and bold cells', async () => {
    const text = 'Sum?\n\n| Name | Cost ($) |\n|:--|--:|\n| a \\| b | **1,200** |\n| c | 3 |\n\nThanks'
    expect(await asked(text, { operation: 'max', column: 'cost ($)' })).toContain(
      'max of Cost ($): 1200 (row 1: Name = a | b, Cost ($) = 1,200)',
    )
  })

  test('in TSV, with empty cells', async () => {
    expect(await asked('a\tb\tc\n1\t\t3\n2\t5\t', { operation: 'sum', column: 'b' })).toContain('sum of b: 5')
  })

  test('with quoted cells, lines in them, and Windows line ends', async () => {
    const text = 'name,x\r\n"Doe, Jane",1\r\n"two\r\nlines",2\r\n"say ""hi""",3'
    expect(await asked(text, { operation: 'max', column: 'x' })).toContain('(row 3: name = say "hi", x = 3)')
  })

  test('with lines in the cells of the first row, below a sentence with quotes', async () => {
    const text = 'Take the 5" ones, or "all", so sum:\nname,x\n"two\n\nlines","1"\n"a\nb",2'
    expect(await asked(`\`\`\`\n${text}\n\`\`\``, { operation: 'sum', column: 'x' })).toContain(
      'sum of x: 3\n',
    )
  })

  test('right below a sentence, above another, and in a fence', async () => {
    const text = 'Add this up, please:\na;b\nx;1,5\ny;2,5\nWhat is the sum?\n\n```csv\nc,d\n1,2\n\n3,4\n```'
    expect(await asked(text, { operation: 'sum', column: 'b' })).toContain('sum of b: 4\nRows used: 2 of 2')
    expect(await asked(text, { operation: 'sum', column: 'd' })).toContain('sum of d: 6\nRows used: 2 of 2')
  })

  test('a name may end as a sentence does', async () => {
    expect(await asked('name,paid?\na,1\nb,2', { operation: 'sum', column: 'paid?' })).toContain(
      'sum of paid?: 3',
    )
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: Of several, the one that has the columns is taken; else they are listed, and
  //   `"column": "table 2: amount"` names one
  test('several: the one with the columns, else they are listed by number and columns', async () => {
    const text = 'a,x\n1,2\n\nb,x\n3,4\n5,6'
    expect(await asked(text, { operation: 'sum', column: 'x', group: 'b' })).toContain('table 2, in the task')
    expect(await refused(text, { operation: 'sum', column: 'x' })).toBe(
      'Several tables have these columns. Write the number before the name, such as column: "table 1: x".\ntable 1 (in the task): 1 row of a, x\ntable 2 (in the task): 2 rows of b, x',
    )
    expect(await asked(text, { operation: 'sum', column: 'table 2: x' })).toContain('sum of x: 10')
    expect(await refused(text, { operation: 'sum', column: 'table 3: x' })).toContain('There is no table 3')
    expect(await refused(text, { operation: 'sum', column: 'y' })).toContain('No table has the column "y"')
  })

  test.each([
    ['commas', 'region,amount\nN,1\nS,2\n\nE,3\nW,4', 'sum of amount: 10\nRows used: 4 of 4'],
    ['single rows', 'region;amount\nN;n/a\nS;2\n \nE;3\n\n\nW;4\n\nThanks; all', 'sum of amount: 9\n'],
    ['Markdown', '| a | amount |\n|--|--|\n| N | 1 |\n\n| S | n/a |\n| E | 3 |', 'sum of amount: 4\n'],
    ['a quoted cell', 'k,amount\na,1\n"two\n\nlines",2\nc,3', 'sum of amount: 6\nRows used: 3 of 3'],
  ])('a blank line between rows ends none: %s', async (_, text, sum) => {
    expect(await asked(text, { operation: 'sum', column: 'amount' })).toContain(sum)
  })

  test.each([
    ['name,amount\nN,1\n\nname,2023\nS,2'],
    ['name,amount\nN,1\n\nwho,paid\nS,2'],
    ['| a | amount |\n|--|--|\n| N | 1 |\n\n| b | 2 |\n|--|--|\n| S | 2 |'],
    ['name,amount\nN,1\nThat is all.\n\nE,3\nW,4'],
    ['name,amount\nN,1\n\nIn total, 3'],
    ['| a | amount |\n|--|--|\n| N | 1 |\n\nEither | or'],
  ])('a table below a blank line stays one of its own: %j', async text => {
    expect(await asked(text, { operation: 'sum', column: 'amount' })).toContain('sum of amount: 1\n')
  })

  test.each([
    ['+---+---+\n| k | v |\n+---+---+\n| a | 1 |\n+---+---+\n| b | 2 |\n+---+---+\n2 rows in set'],
    [' k | v \n---+---\n a | 1\n b | 2\n(2 rows)'],
  ])('as a database prints them: %j', async text => {
    expect(await asked(text, { operation: 'sum', column: 'v' })).toContain('sum of v: 3\nRows used: 2 of 2')
  })

  test('in TSV whose cells have commas, and with semicolons before commas', async () => {
    const tabs = 'who, a, b\tv\nDoe, J, K\t1\nRoe, L, M\t2'
    expect(await asked(tabs, { operation: 'sum', column: 'v' })).toContain('sum of v: 3\n')
    const semicolons = 'a, b, c;v\nd, e, f;1\ng, h, i;2'
    expect(await asked(semicolons, { operation: 'sum', column: 'v' })).toContain('sum of v: 3\n')
  })

  test('rows of more cells than names are left out, and told', async () => {
    const text = 'a,x\np,1\nq,2\nr,1,234'
    expect(await asked(text, { operation: 'sum', column: 'x' })).toContain(
      'sum of x: 3\nRows used: 2 of 3 (table 1, in the task).\nLeft out: 1 with more cells than there are names (row 3)',
    )
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: How many rows were used, which cells were left out and why; also what was
  //   assumed about 1,234, a first row of numbers, and a row of totals
  test('a row of totals is used as any other, and told', async () => {
    expect(await asked('a,x\np,1\nq,2\nTotal,3', { operation: 'sum', column: 'x' })).toContain(
      'Note: row 3, "Total", was used as any other row. If it is a total, leave it out with where: "a != Total".',
    )
  })

  test.each([
    ['Sub total', 'a'],
    ['subtotal', 'a'],
    ['Gesamtsumme', 'a'],
    ['Average', 'a'],
    ['Overall', 'a'],
    [',Insgesamt', 'b'],
  ])('a row that sums up others is told: %s', async (cells, name) => {
    const text = `a,b,x\np,q,1\nr,s,2\n${cells.startsWith(',') ? cells : `${cells},`},3`
    const cell = cells.replace(',', '')
    expect(await asked(text, { operation: 'sum', column: 'x' })).toContain(
      `Note: row 3, "${cell}", was used as any other row. If it is a total, leave it out with where: "${name} != ${cell}".`,
    )
  })

  test('none: says what was expected', async () => {
    expect(await refused('How tall is the mill, in metres?', { operation: 'sum', column: 'x' })).toContain(
      'There is no table in the task, nor in a page that was read',
    )
  })
})

describe('bounds', () => {
  test('quotes that never end are refused, with the row', async () => {
    expect(await refused('a,x\np,1\n"q,2\nr,3', { operation: 'sum', column: 'x' })).toContain(
      'a quote that opens in row 2 is not closed',
    )
    expect(await refused('a,x\n"p,1\nr,3', { operation: 'sum', column: 'x' })).toContain('in row 1 is not')
  })

  // EVIDENCE-OF docs/reference/shipped-tools.md: 2^20 characters of the task, 100,000 rows and 200 columns of a table; more
  //   is refused.
  test('more columns or characters than are read are refused, with the bound', async () => {
    const wide = `${Array.from({ length: 201 }, (_, at) => `c${at}`).join()}\n${Array(201).fill('1').join()}`
    expect(await refused(wide, { operation: 'sum', column: 'c1' })).toContain('more than 200 columns')
    const gaps = `a,x\n${'p,1\n\n'.repeat(100_001)}`
    expect(await refused(gaps, { operation: 'sum', column: 'x' })).toContain('more than 100000 rows')
    const long = `a,x\n${'p,1\n'.repeat(500_000)}`
    expect(await refused(long, { operation: 'sum', column: 'x' })).toContain('at most 1048576')
  })

  test('a long answer is cut to a bounded number of groups and columns', async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => `key ${at},1`)
    const answer = await asked(['k,x', ...rows].join('\n'), { operation: 'sum', column: 'x', group: 'k' })
    expect(answer).toContain('... and 4950 more groups')
    expect(answer.length).toBeLessThan(5_000)
  })
})

// EVIDENCE-OF docs/reference/shipped-tools.md: A megabyte takes some tenths of a second on this thread, most of it once in a
//   run; calls side by side let others have it in between. 50 groups or rows are shown.
test('calls side by side: one in a turn of the event loop, and the table is found once', async () => {
  const parse = vi.spyOn(Papa, 'parse')
  const config = { state: { messages: [{ type: 'human', text: SALES }] } }
  const call = () => answerTable({ operation: 'sum', column: 'amount' }, config)
  await call()
  expect(parse).toHaveBeenCalled()
  parse.mockClear()
  let answered = 0
  const calls = Array.from({ length: 4 }, () =>
    call().then(() => {
      answered += 1
    }),
  )
  const seen: number[] = []
  while (answered < calls.length) {
    await new Promise(resolve => setImmediate(resolve))
    if (answered !== seen.at(-1)) seen.push(answered)
  }
  expect(seen.filter(count => count > 0)).toEqual([1, 2, 3, 4])
  expect(parse).not.toHaveBeenCalled()
})
