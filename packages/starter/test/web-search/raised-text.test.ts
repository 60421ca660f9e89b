import { rank } from '@agent-task-service/engine/rank'
import { drawnPdf } from '@agent-task-service/test-support/web/pdf'
import { expect, test } from 'vitest'
import { plainLine } from '../../web-search/plain-text.ts'
import { readPage } from '../../web-search/read-page.ts'

const read = async (type: string, body: string | Buffer) =>
  await readPage({ type, charset: undefined, bytes: new Uint8Array(Buffer.from(body as string)) })
const textOf = async (html: string, type = 'text/html') =>
  (await read(type, html)).passages.map(({ text }) => text).join('\n')

// EVIDENCE-OF docs/reference/shipped-tools.md: Formulas in MathML are text.
test.each([
  ['10<sup>6</sup> and 6.02×10<sup>23</sup>', '10^6 and 6.02×10^23'],
  ['10<sup>−6</sup>, 10<sup> - 6 </sup>, 2<sup>n+1</sup>, 10<sup>2n</sup>', '10^-6, 10^-6, 2^(n+1), 10^(2n)'],
  ['10<sup>6</sup>5 and x<sup>n</sup>y', '10^6 5 and x^n y'],
  ['e<sup>x<sup>2</sup></sup>', 'e^(x^2)'],
  ['10<i><b><sup><i>6</i></sup></b></i>, 10<sup><a href="/powers">6</a></sup>', '10^6, 10^6'],
  ['10<span style="font-size:9px; vertical-align: super">6</span>', '10^6'],
  ['58<sup>40</sup> CHF, $58<sup>40</sup>', '58^40 CHF, $58^40'],
  ['m<sup>2</sup>, 5 km<sup>2</sup>, kg/m<sup>3</sup>, 12 ft<sup>2</sup>', 'm^2, 5 km^2, kg/m^3, 12 ft^2'],
  ['E = mc<sup>2</sup>, πr<sup>2</sup>, 4ac<sup>2</sup>, sin<sup>2</sup>x', 'E = mc^2, πr^2, 4ac^2, sin^2 x'],
  ['10<sup>9</sup>/L, 10<sup>9</sup>/5, [OH<sup>−</sup>]<sup>2</sup>', '10^9/L, 10^9/5, [OH^-]^2'],
  ['19<sup>,99</sup> €, £3<sup>.50</sup>', '19,99 €, £3.50'],
  ['$1,299.<sup>00</sup>, $ 8.<sup>99</sup>, $12.<sup>99</sup>', '$1,299.00, $ 8.99, $12.99'],
  [
    '58,<sup>40</sup> €, it was 12.<sup>14</sup> In 2019.<sup>12</sup>',
    '58,^40 €, it was 12.^14 In 2019.^12',
  ],
  ['12<sup>00</sup> €, $7<sup>05</sup>, x<sup>05</sup>', '12.00 €, $7.05, x^05'],
  ['2 <sup>1/2</sup> cups, 5<sup>½</sup>, 2<sup>1/2</sup>, x<sup>½</sup>', '2 1/2 cups, 5 ½, 2^(1/2), x^½'],
  ['€ 12<small>99</small>, 12<small>kg</small>, <s>12<small>99</small></s>', '€ 12^99, 12kg, (was 12^99)'],
  ['expand (a+b)<sup>2</sup>, f(x)<sup>2</sup>', 'expand (a+b)^2, f(x)^2'],
  ['<sup>14</sup>C, Ca<sup>2+</sup>', '^14C, Ca^2+'],
])('raised text has a power sign: %s', async (html, wanted) => {
  expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Formulas in MathML are text.
test.each([
  ['log<sub>2</sub>8, 101<sub>2</sub>, x<sub>1</sub>, V<sub>max</sub>', 'log_2 8, 101_2, x_1, V_max'],
  ['CO<sub>2</sub>, H<sub>2</sub>O, C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>', 'CO2, H2O, C6H12O6'],
  ['SO<sub>4</sub><sup>2−</sup>, Ca(OH)<sub>2</sub>, PM<sub>2.5</sub>', 'SO4^2−, Ca(OH)2, PM2.5'],
])('lowered text is apart, unless it belongs to a formula or a name: %s', async (html, wanted) => {
  expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
})

test.each([
  ['1<sup>st</sup>, 22<sup>nd</sup>, XIX<sup>e</sup> siècle', '1st, 22nd, XIXe siècle'],
  ['Brand<sup>TM</sup>, Brand<sup>®</sup>, M<sup>me</sup> Weil', 'BrandTM, Brand®, Mme Weil'],
  [
    '2<sup>1</sup>/<sub>2</sub> cups, <sup>3</sup>⁄<sub>4</sub>, 1<sup>1</sup>⁄2, <sup>1</sup>/2',
    '2 1/2 cups, 3⁄4, 1 1⁄2, 1/2',
  ],
  ['Shipping<sup>new</sup>, <sup>Offer valid until May.</sup>', 'Shipping new, Offer valid until May.'],
])('ordinals, suffixes, fractions and small print stay what they are: %s', async (html, wanted) => {
  expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
})

// EVIDENCE-OF docs/reference/shipped-tools.md: `10^6`, `log_2 8`, `(was $40) $30`; the mark of a note is `mill[1]`.
test.each([
  ['The mill<sup>1</sup> was built.<sup>2</sup>', 'The mill[1] was built.[2]'],
  ['Smith<sup>a,b</sup>, the mill (see below)<sup>3</sup>', 'Smith[a,b], the mill (see below)[3]'],
  ['Total<sup>1)</sup>, 8,336<sup>[2]</sup> (2022)<sup>[3]</sup>', 'Total[1], 8,336[2] (2022)[3]'],
  ['Area (km<sup>2</sup>)<sup>1</sup>', 'Area (km^2)[1]'],
  ['1,233<sup><a href="#note-3">3</a></sup> km', '1,233[3] km'],
  ['1,233<a href="page#n3"><sup>3</sup></a> km', '1,233[3] km'],
  ['1,233<sup class="reference"><a href="#cite_note-1">[1]</a></sup> km', '1,233[1] km'],
  ['1,233<sup role="doc-noteref">3</sup>, 1,233<sup id="fnref:3">3</sup>', '1,233[3], 1,233[3]'],
  [
    '12.5<sup>*</sup>, 12.5<sup>†</sup>, 12.5<sup>[a]</sup>, 12.5<sup>(1)</sup>',
    '12.5*, 12.5†, 12.5[a], 12.5[1]',
  ],
])('the mark of a note is no exponent: %s', async (html, wanted) => {
  expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Formulas in MathML are text.
test.each([
  ['<s>$40</s> $30', '(was $40) $30'],
  ['<del>99 EUR</del>79 EUR', '(was 99 EUR) 79 EUR'],
  ['<strike><b>1</b><i>2</i></strike> 9', '(was 12) 9'],
  ['<s>10<sup>3</sup></s> 10<sup>4</sup>', '(was 10^3) 10^4'],
  ['<span style="text-decoration: line-through">12</span> 9', '(was 12) 9'],
])('what is struck out was: %s', async (html, wanted) => {
  expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
})

test('what is struck out over several paragraphs was, in each', async () => {
  expect(await textOf('<del><p>one</p><p>two</p></del><p>three</p>')).toBe('(was one)\n(was two)\nthree')
})

const sup = (base: string, exponent: string) => `<msup>${base}<mrow>${exponent}</mrow></msup>`
// EVIDENCE-OF docs/reference/shipped-tools.md: Formulas in MathML are text.
test.each([
  [`<mi>E</mi><mo>=</mo><mi>m</mi>${sup('<mi>c</mi>', '<mn>2</mn>')}`, 'E = mc^2'],
  [`<mn>6.02</mn><mo>×</mo>${sup('<mn>10</mn>', '<mo>−</mo><mn>23</mn>')}`, '6.02 × 10^-23'],
  ['<msub><mi>log</mi><mn>2</mn></msub><mo>&#8289;</mo><mn>8</mn><mo>=</mo><mn>3</mn>', 'log_2 8 = 3'],
  ['<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>', '2 1/2'],
  ['<mfrac><mn>1</mn><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>', '1/(2a)'],
  [`<msqrt>${sup('<mi>b</mi>', '<mn>2</mn>')}<mo>−</mo><mn>4</mn></msqrt>`, '√(b^2 − 4)'],
  ['<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>', 'x_i^2'],
  ['<mfrac linethickness="0"><mn>5</mn><mn>2</mn></mfrac>', 'binom(5, 2)'],
  ['<semantics><mn>17</mn><annotation encoding="application/x-tex">17</annotation></semantics>', '17'],
])('a formula in MathML is text: %s', async (math, wanted) => {
  expect(await textOf(`<p>Here <math>${math}</math> ends.</p>`)).toBe(`Here ${wanted} ends.`)
})

test('a formula that only its TeX describes, one that Wikipedia shows as a picture, and a power without its base', async () => {
  const hidden = `<span class="mwe-math-mathml-inline" style="display: none"><math><mi>x</mi></math></span>`
  const power = `10<math>${sup('<mrow></mrow>', '<mn>6</mn>')}</math>`
  expect(await textOf(`<p><math alttext="a^2"></math>, ${hidden}, ${power}</p>`)).toBe('a^2, x, 10^6')
})

test('the same holds in headings, captions, cells, list items, terms and JSON-LD', async () => {
  const data = { '@type': 'Product', name: '10<sup>6</sup>', description: '<del>9</del> 8 m<sup>2</sup>' }
  const { passages } = await read(
    'text/html',
    `<script type="application/ld+json">${JSON.stringify(data)}</script>
    <h2>In 10<sup>3</sup> t</h2><ul><li>10<sup>4</sup></li></ul><dl><dt>m<sup>2</sup></dt><dd><s>5</s> 4</dd></dl>
    <table><caption>By km<sup>2</sup></caption><tr><th>H<sub>2</sub>O</th></tr><tr><td>10<sup>5</sup></td></tr></table>`,
  )
  expect(passages).toEqual([
    { heading: 'In 10^3 t', text: '- 10^4\nm^2: (was 5) 4' },
    { heading: 'In 10^3 t › By km^2', text: 'H2O\n10^5', table: expect.anything() },
    { heading: '10^6', text: '(was 9) 8 m^2' },
  ])
})

test('and in Markdown, and in the titles and snippets of search engines', async () => {
  expect(await textOf('~~$40~~ $30, 10<sup>6</sup>', 'text/markdown')).toBe('(was $40) $30, 10^6')
  expect(await textOf('~~$40~~ $30, 10<sup>6</sup>', 'text/plain')).toBe('~~$40~~ $30, 10<sup>6</sup>')
  expect(plainLine('10<sup>6</sup> for <s>$40</s> <b>$30</b>, x &lt;sup> y', 100)).toBe(
    '10^6 for (was $40) $30, x <sup> y',
  )
})

test('and in PDFs, by size and place', async () => {
  const content =
    '/F1 11 Tf 50 780 Td (It holds 10) Tj 4 Ts /F1 7 Tf (6) Tj 0 Ts /F1 11 Tf ( t of log) Tj -2 Ts /F1 7 Tf (2) Tj 0 Ts /F1 11 Tf (8.) Tj 14 TL T* /F1 7 Tf (Small print) Tj'
  const { passages } = await read('application/pdf', drawnPdf('Mill', [content]))
  expect(passages.map(({ text }) => text)).toEqual(['It holds 10^6 t of log_2 8.\nSmall print'])
})

test.each(['5 km²', '5 km2', '5 km^2'])('%s finds what was raised', async query => {
  const [right = 0, wrong = 0] = rank(query, ['It has 5 km^2.', 'It has 5 km.'])
  expect(right).toBeGreaterThan(wrong)
})

test('characters that a page sends for marks mean nothing', async () => {
  expect(await textOf('<p>10\uE0006\uE001 &#xE004;5&#xE005;</p>')).toBe('106 5')
})

const sfrac = '<span class="num">1</span><span class="sr-only">/</span><span class="den">4</span>'
test.each([
  ['<span>12</span><span>,99</span>, <span>12.</span><span>99</span> €', '12,99, 12.99 €'],
  ['<span>1.</span><span>5 kg flour</span><span>9</span>', '1. 5 kg flour 9'],
  [
    'Price <span aria-hidden="true">$12<sup>99</sup></span><span class="visually-hidden">$12.99</span> now',
    'Price $12^99 now',
  ],
  ['At <span class="sr-only">minus </span><span aria-hidden="true">−</span>5 °C', 'At −5 °C'],
  ['<span aria-hidden="true">−</span><span>5 °C</span>', '−5 °C'],
  [`${sfrac} cup, 2<span class="sr-only">+</span>${sfrac} cups`, '1/4 cup, 2 1/4 cups'],
  ['<b>5</b><br><b class="sr-only">+</b>3', '5 +3'],
  ['1<span aria-hidden="true">/</span><span class="sr-only">/</span>4', '1/4'],
  ['At<span class="sr-only">-</span><span aria-hidden="true">−</span>5', 'At-5'],
  ['A<span class="sr-only">x&minus;</span>B<b class="sr-only" hidden>/</b>', 'AB'],
])(
  'what is shown in pieces, or said in another way to those who listen, is one: %s',
  async (html, wanted) => {
    expect(await textOf(`<p>${html}</p>`)).toBe(wanted)
  },
)

test.each([
  'Text <a href="#a" aria-hidden="true">¶</a>',
  'Text <i class="material-icons" aria-hidden="true">shopping_cart</i>',
  'Text<span class="katex-html" aria-hidden="true">x2</span>',
  'Text <div aria-hidden="true">Log in</div>',
  'Text<span class="sr-only" aria-hidden="true">a</span><span hidden aria-hidden="true">b</span>',
])('icons, copies and what people do not see are left out: %s', async html => {
  expect(await textOf(`<p>${html}</p>`)).toBe('Text')
})

test('what microdata says about a visible element is read, too', async () => {
  const price = '<b itemprop="price" content="79.90">79<sup>90</sup></b>'
  expect(await textOf(`<p itemscope>Lamp ${price}</p>`)).toBe('Lamp 79^90\nprice: 79.90')
})

test("a feed's day is the one that is written", async () => {
  const date = 'Fri, 20 Nov 2026 23:30:00 -0800'
  const feed = `<rss><channel><item><title>A</title><pubDate>${date}</pubDate></item></channel></rss>`
  expect((await read('application/rss+xml', feed)).date).toBe('2026-11-20')
})
