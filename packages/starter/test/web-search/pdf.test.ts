import { crowd } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { drawnPdf, pdf, shown } from '@agent-task-service/test-support/web/pdf'
import { expect, test } from 'vitest'
import { readPdf } from '../../web-search/pdf-reader.ts'

const forever = () => () => false
const read = async (file: Buffer, timeLimit = forever) => await readPdf(new Uint8Array(file), timeLimit)
const linesOf = async (file: Buffer) => (await read(file)).passages.flatMap(({ text }) => text.split('\n'))
const at = (x: number, y: number, text: string, size = 10) =>
  `/F1 ${size} Tf 1 0 0 1 ${x} ${y} Tm ${shown(text)}`

/** Helvetica's widths of the characters used here, in sizes. */
const widthOf = (text: string) =>
  [...text].reduce(
    (sum, sign) => sum + ({ ',': 0.278, '.': 0.278, '-': 0.333, ' ': 0.278 }[sign] ?? 0.556),
    0,
  )

/** A table, drawn in one of the ways that programs have. */
function drawnTable(random: Random) {
  const size = random.pick([6, 8, 9.5, 11, 14])
  const leading = size * (1.1 + random.next())
  const number = () =>
    random.pick([
      `${random.whole(0, 99)}`,
      `-${random.whole(1, 9)}.${random.whole(10, 99)}`,
      `${random.whole(1, 99)},${random.whole(100, 999)}.00`,
      `${random.whole(1990, 2030)}`,
    ])
  const label = () =>
    Array.from({ length: random.whole(1, 2) }, () => random.pick(['anno', 'bohne', 'opa', 'huhn'])).join(' ')
  const columns = random.whole(2, 6)
  const rows = Array.from({ length: random.whole(3, 9) }, () =>
    Array.from({ length: columns }, (_, column) => (column === 0 ? label() : number())),
  )
  let left = random.whole(10, 60)
  const cells: { row: number; column: number; x: number; y: number; text: string }[] = []
  for (let column = 0; column < columns; column += 1) {
    const widths = rows.map(row => size * widthOf(row[column]!))
    const width = Math.max(...widths)
    const isRightAligned = random.happens(0.5)
    for (const [row, texts] of rows.entries()) {
      const x = left + (isRightAligned ? width - widths[row]! : 0)
      cells.push({ row, column, x, y: 700 - row * leading, text: texts[column]! })
    }
    left += width + size * (0.3 + 3 * random.next())
  }
  const order = random.pick(['rows', 'rows from the right', 'columns', 'any'])
  if (order === 'columns') cells.sort((one, other) => one.column - other.column || one.row - other.row)
  else if (order === 'any') cells.sort(() => random.next() - 0.5)
  else cells.sort((one, other) => one.row - other.row || one.column - other.column)
  if (order === 'rows from the right')
    cells.sort((one, other) => one.row - other.row || other.column - one.column)
  const isTurned = random.happens(0.2)
  const isInLetters = random.happens(0.4)
  const drawn = cells.flatMap(({ x, y, text }) => {
    const place = (x: number) => (isTurned ? `0 1 -1 0 ${842 - y} ${x} Tm` : `1 0 0 1 ${x} ${y} Tm`)
    if (!isInLetters) return [`${place(x)} ${shown(text)}`]
    return [...text].flatMap((letter, n) =>
      letter === ' ' ? [] : [`${place(x + size * widthOf(text.slice(0, n)))} ${shown(letter)}`],
    )
  })
  return { rows, page: `/F1 ${size} Tf ${drawn.join('\n')}`, how: { order, size, isTurned, isInLetters } }
}

// EVIDENCE-OF docs/reference/shipped-tools.md: In a PDF, pieces on one baseline are one line, with a bar where a column ends.
test('reads the rows of a table, however they are drawn', async () => {
  const seed = Number(process.env.SAMPLE_SEED)
  for (let nth = 0; nth < crowd(2_000, 60); nth += 1) {
    const { rows, page, how } = drawnTable(new Random(seed + nth))
    const lines = await linesOf(drawnPdf('Table', [page]))
    const why = JSON.stringify({ seed: seed + nth, ...how, rows })
    expect(
      lines.map(line => line.split(/[\s|]+/)),
      why,
    ).toEqual(rows.map(row => row.flatMap(cell => cell.split(' '))))
  }
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Running text is joined to paragraphs, one column after the other; rows never are.
test('joins running text in columns, and no rows', async () => {
  const words = 'and then the mill of the valley turned'
  const left = Array.from({ length: 6 }, (_, n) => at(50, 700 - 12 * n, `left ${n} ${words}`))
  const right = Array.from({ length: 6 }, (_, n) => at(320, 700 - 12 * n, `right ${n} ${words}`))
  const rows = Array.from({ length: 3 }, (_, n) =>
    [
      at(50, 500 - 12 * n, `The mill of the village number ${n} in the county of Arden`),
      at(400, 500 - 12 * n, `17.${n}`),
      at(430, 500 - 12 * n, `18.${n}`),
    ].join(' '),
  )
  expect(await linesOf(drawnPdf('Mill', [[...left, ...right, ...rows].join(' ')]))).toEqual([
    Array.from({ length: 6 }, (_, n) => `left ${n} ${words}`).join(' '),
    Array.from({ length: 6 }, (_, n) => `right ${n} ${words}`).join(' '),
    ...Array.from(
      { length: 3 },
      (_, n) => `The mill of the village number ${n} in the county of Arden | 17.${n} | 18.${n}`,
    ),
  ])
})

test.each([
  [
    'a text drawn four times to look bold',
    [at(50, 700, '2011'), at(50.2, 700.2, '2011'), at(50, 700.2, '2011 report')],
    '2011 report',
  ],
  [
    'a number over a text that holds it',
    [at(50, 700, 'Bills 187, 192, 194, 195, 196'), at(120, 700, '19')],
    'Bills 187, 192, 194, 195, 196 | 19',
  ],
  [
    'a number over a long text',
    [at(50, 700, 'Bills 187, 192, 194, 195, 196'), at(120, 700, '26406576')],
    'Bills 187, 192, 194, 195, 196 | 26406576',
  ],
  ['numbers that just overlap', [at(50, 700, '24.28'), at(71, 700, '49.88')], '24.28 | 49.88'],
  [
    'a bullet',
    [at(50, 700, '\x95'), at(70, 700, 'Height:'), at(110, 700, '$'), at(140, 700, '12')],
    '• Height: $ 12',
  ],
  ['a dash for none', [at(50, 700, 'Arden'), at(120, 700, '-'), at(150, 700, '12')], 'Arden | - | 12'],
  ['a bar', [at(50, 700, 'a|b'), at(120, 700, '12')], 'a/b | 12'],
  ['what is raised before its text', [at(50, 704, '1', 6), at(53.5, 700, 'See there')], '^1See there'],
])('reads %s', async (_, drawn, line) => {
  expect(await linesOf(drawnPdf('Mill', [drawn.join(' ')]))).toEqual([line])
})

// EVIDENCE-OF docs/reference/shipped-tools.md: What is filled into a form is read at its place, and `[x]` for a box that is ticked.
test('reads what is filled into a form', async () => {
  const page = [
    at(50, 700, 'Height:'),
    at(50, 680, 'Mill:'),
    at(300, 680, 'Built:'),
    at(50, 640, 'Open'),
  ].join(' ')
  const lines = await linesOf(
    drawnPdf(
      'Form',
      [page],
      [
        '/FT /Tx /T (height) /V (17.5 metres) /Rect [100 696 200 712]',
        '/FT /Ch /T (mill) /V (o) /Opt [[(o) (Old mill)] [(n) (New mill)]] /Rect [100 676 250 692]',
        '/FT /Tx /T (built) /V (1873) /Rect [350 676 450 692]',
        '/FT /Btn /T (open) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R >> >> /Rect [100 636 112 648]',
        '/FT /Tx /Ff 8192 /T (secret) /V (hunter2) /Rect [100 606 200 618]',
        '/FT /Tx /Ff 4096 /T (notes) /V (Two lines\nof notes) /Rect [50 560 450 600]',
      ],
    ),
  )
  expect(lines).toEqual([
    'Height: | 17.5 metres',
    'Mill: | Old mill | Built: | 1873',
    'Open | [x]',
    'Two lines',
    'of notes',
  ])
})

test('reads fonts that name their characters by number only', async () => {
  const lines = await linesOf(drawnPdf('Mill', ['/F2 10 Tf 50 700 Td <95978ED4> Tj']))
  expect(lines).toEqual(['風車'])
})

const long = drawnPdf(
  'Long',
  Array.from({ length: 130 }, (_, n) => at(50, 700, `This is page ${n + 1}.`)),
)

test('reads pages behind the hundredth', async () => {
  const { passages, isCut } = await read(long)
  expect([passages.at(-1), isCut]).toEqual([{ heading: 'page 130', text: 'This is page 130.' }, undefined])
})

test('tells that time or text was too little, wherever that was, and closes the file', async () => {
  const file = pdf(
    'Long',
    Array.from({ length: 30 }, (_, n) => `Line ${n} of the report. `.repeat(20)),
  )
  let isCut: boolean | undefined = true
  for (let most = 0; isCut; most += 1) {
    let times = 0
    isCut = (await read(file, () => () => ++times > most)).isCut
    if (isCut) expect(times).toBeGreaterThan(most)
  }
  expect((await read(pdf('Long', Array(600).fill('word '.repeat(80))))).isCut).toBe(true)
})
