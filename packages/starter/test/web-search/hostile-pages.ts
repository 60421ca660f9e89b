import { deflateSync } from 'node:zlib'
import { pdf } from '@agent-task-service/test-support/web/pdf'

const MIB = 2 ** 20
const TEXT = '<p>The answer is forty-two, said the page.</p>'

/** `count` copies, or enough for a page of the largest size. */
const fill = (piece: string, count = Math.floor((2 * MIB) / piece.length)) => piece.repeat(count)

const zeros = () => deflateSync(Buffer.alloc(250 * MIB))
const hex = (bytes: Buffer) => Buffer.from(`${bytes.toString('hex')}>`)

/** A PDF with these objects from number 4 on, whose page has these resources and the content of object 4. */
function pdfOf(
  resources: string,
  ...objects: readonly (string | readonly [dictionary: string, stream: Buffer])[]
) {
  const parts = objects.map((object, at) => {
    const [dictionary, stream] = typeof object === 'string' ? [object] : object
    const body = stream
      ? [
          Buffer.from(`<<${dictionary}/Length ${stream.length}>>stream\n`),
          stream,
          Buffer.from('\nendstream '),
        ]
      : [Buffer.from(dictionary)]
    return Buffer.concat([Buffer.from(`${at + 4} 0 obj`), ...body, Buffer.from('endobj\n')])
  })
  const head = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<<${resources}>>>>endobj\n`
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from('trailer<</Root 1 0 R>>')])
}

const packed = (filter: string, stream: Buffer): [string, Buffer] => [`/Filter${filter}`, stream]
const text = (content: string): [string, Buffer] => packed('/FlateDecode', deflateSync(Buffer.from(content)))
/** A page with this compressed content. */
const bomb = (filter: string, stream: Buffer) => pdfOf('', packed(filter, stream))
const CONTENT = text('BT /F 9 Tf (answer) Tj ET')

/** Pages designed to slow their reader down; made when needed, since some take a second to make. */
export const hostilePages: Readonly<Record<string, () => readonly [type: string, body: string | Buffer]>> = {
  'deep div': () => ['text/html', fill('<div>')],
  'deep and closed': () => ['text/html', fill('<b>', 200_000) + TEXT + fill('</b>', 200_000)],
  'a million elements': () => ['text/html', fill('<p>')],
  'closings of what is not open': () => ['text/html', fill('<div>', 250) + fill('</x>', 400_000)],
  'a million table cells': () => ['text/html', `<table>${fill('<tr><td>1')}</table>`],
  'wide spans': () => [
    'text/html',
    `<table>${fill('<tr><td colspan=1000000 rowspan=1000000>x', 20_000)}</table>`,
  ],
  'spans in each row': () => [
    'text/html',
    `<table>${fill(`<tr>${'<td rowspan=100>y'.repeat(90)}`, 600)}</table>`,
  ],
  'a huge attribute': () => ['text/html', `<p title="${fill('x')}">${TEXT}`],
  'a huge style': () => ['text/html', `<p style="${fill('display:')}">${TEXT}`],
  'a million attributes': () => [
    'text/html',
    `<p ${Array.from({ length: 250_000 }, (_, n) => `a${n}`).join(' ')}>${TEXT}`,
  ],
  'an attribute without end': () => ['text/html', `<p title="${fill('<p>')}`],
  'a comment without end': () => ['text/html', `<!--${fill('- ')}`],
  'endless entities': () => ['text/html', fill('&amp;')],
  'entity declarations': () => [
    'application/xhtml+xml',
    `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, n) => `<!ENTITY b${n} "${`&b${n - 1};`.repeat(10)}">`).join('')}]><p>&b8;</p>`,
  ],
  'outside entity': () => [
    'application/xhtml+xml',
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><p>&a;</p>',
  ],
  headings: () => ['text/html', fill('<h1>a</h1>')],
  'raised text without end': () => ['text/html', `<p>${fill('x<sup>1')}`],
  'a million raised texts': () => ['text/html', `<p>${fill('(a<sup>1</sup>)')}`],
  'links to notes': () => ['text/html', `<p>${fill('<a href=#><sup>')}`],
  'a word struck out at a time': () => ['text/html', `<p>${fill('<s>a</s> <b>b</b>')}`],
  'struck Markdown': () => ['text/markdown', fill('~~a <sup>')],
  'deep formulas': () => [
    'text/html',
    fill(
      `<math>${fill('<msup><mfenced open="((((">', 140)}${fill('x ', 3000)}${fill('</mfenced></msup>', 140)}</math>`,
    ),
  ],
  'formulas in JSON': () => [
    'text/html',
    `<script type="application/ld+json">{"@type":"Product","name":"${fill('<math>', 30_000)}","text":"${fill('<sup>', 30_000)}"}</script>`,
  ],
  'deep formulas without end': () => ['text/html', `<math>${fill('<msup><mi>x</mi>')}`],
  'many frames': () => ['text/html', fill('<iframe srcdoc=x></iframe>')],
  'frames in frames': () => {
    let html = TEXT
    while (html.length < 500_000)
      html = `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`
    return ['text/html', html]
  },
  'titles far inside a menu': () => ['text/html', fill('<div class=menu><h1>a')],
  'buttons far inside': () => ['text/html', fill('<div>', 100_000) + fill('<button>a</button>', 80_000)],
  'asides in asides': () => ['text/html', fill('<aside>a <a href=1>b</a>')],
  'a feed of empty items': () => ['application/rss+xml', `<rss><channel>${fill('<item/>')}`],
  'a feed of elements': () => ['application/rss+xml', `<rss><channel><item><description>${fill('<b/>')}`],
  'a feed of titles': () => ['text/xml', `<feed>${fill('<entry><title>&lt;sup></title></entry>')}`],
  'a million items of state': () => [
    'text/html',
    `<script type="application/json">[${fill('[],')}[]]</script>`,
  ],
  'a state of small numbers': () => [
    'text/html',
    `<script type="application/json">[${fill('{"a":1},', 100_000)}1]</script>`,
  ],
  'deep state': () => ['text/html', `<script>window.a=${fill('[', 450_000)}1${fill(']', 450_000)}</script>`],
  'state without end': () => ['text/html', `<script>${fill('window.a={"')}</script>`],
  'strings without end': () => ['text/html', `<script>window.a={${fill('"\\\\"')}</script>`],
  'many states': () => ['text/html', fill('<script>var a=[1]</script>')],
  microdata: () => ['text/html', `<div itemscope>${fill('<meta itemprop=a content=b>')}`],
  refreshes: () => ['text/html', fill('<meta http-equiv=refresh content="0;url=')],
  pictures: () => ['text/html', fill(`<img alt="${'x '.repeat(30)}">`)],
  'structured dates': () => [
    'text/html',
    `<script type="application/ld+json">${fill('"dateModified":"')}</script>`,
  ],
  spaces: () => ['text/html', `<p>${fill(' ')}x`],
  'line ends and spaces': () => ['text/plain', fill('\n  \t')],
  'no text at all': () => [
    'text/plain',
    Buffer.from(Array.from({ length: MIB }, (_, n) => (n * 7919) % 256)),
  ],
  'endless charset': () => ['text/html', `<meta ${fill('charset ')}`],
  'fake PDF': () => ['application/pdf', fill('%PDF-1.4\n')],
  'PDF bomb packed twice': () => [
    'application/pdf',
    bomb('[/FlateDecode/FlateDecode]', deflateSync(deflateSync(Buffer.alloc(500 * MIB)))),
  ],
  'PDF bomb in hexadecimal': () => ['application/pdf', bomb('[/ASCIIHexDecode /FlateDecode]', hex(zeros()))],
  'PDF bomb of run lengths': () => [
    'application/pdf',
    bomb('/RunLengthDecode', Buffer.alloc(2 * MIB, '\x81 ')),
  ],
  'PDF bomb with a predictor': () => [
    'application/pdf',
    bomb('/FlateDecode/DecodeParms<</Predictor 15/Columns 100000000/Colors 4/BitsPerComponent 16>>', zeros()),
  ],
  'PDF of much text in a small stream': () => [
    'application/pdf',
    pdfOf(
      '/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>',
      text(fill('BT /F 9 Tf (answer) Tj ET\n', 3_000_000)),
    ),
  ],
  'PDF of forms in forms': () => [
    'application/pdf',
    pdfOf(
      '/XObject<</A 5 0 R>>',
      text('/A Do '.repeat(10)),
      ...Array.from({ length: 12 }, (_, n): [string, Buffer] => [
        `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</A ${n + 6} 0 R>>>>`,
        Buffer.from('/A Do '.repeat(10)),
      ]),
    ),
  ],
  'PDF font of zeros': () => [
    'application/pdf',
    pdfOf(
      '/Font<</F<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor<</Type/FontDescriptor/FontName/X/Flags 4/FontFile2 5 0 R>>>>>>',
      CONTENT,
      packed('/FlateDecode', zeros()),
    ),
  ],
  'PDF map of all characters': () => [
    'application/pdf',
    pdfOf(
      '/Font<</F<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode 5 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/X/CIDSystemInfo<</Registry(A)/Ordering(I)/Supplement 0>>/W[0 4294967295 1]>>]>>>>',
      CONTENT,
      text(
        `begincmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange ${fill('1 beginbfrange <00000000> <ffffffff> <0041> endbfrange ', 100)}endcmap`,
      ),
    ),
  ],
  'PDF images': () => [
    'application/pdf',
    pdfOf(
      '/XObject<</A 5 0 R/B 6 0 R/C 7 0 R>>',
      text('/A Do /B Do /C Do'),
      ...['JBIG2Decode', 'JPXDecode', 'CCITTFaxDecode'].map((filter): [string, Buffer] => [
        `/Type/XObject/Subtype/Image/Width 60000/Height 60000/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/${filter}`,
        Buffer.alloc(1000, 7),
      ]),
    ),
  ],
  'PDF table of contents of zeros': () => {
    const stream = zeros()
    const dictionary = `/Type/XRef/W[1 4 4]/Index[0 100000000]/Size 100000000/Root 2 0 R/Filter/FlateDecode/Length ${stream.length}`
    const head = Buffer.from(`%PDF-1.5\n1 0 obj<<${dictionary}>>stream\n`)
    return [
      'application/pdf',
      Buffer.concat([head, stream, Buffer.from('\nendstream endobj\nstartxref\n9\n%%EOF')]),
    ]
  },
  'PDF of long text': () => ['application/pdf', pdf('Long', Array(3000).fill('word '.repeat(80)))],
  'PDF of nested arrays': () => [
    'application/pdf',
    `%PDF-1.4\n1 0 obj${fill('[', 500_000)}endobj\ntrailer<</Root 1 0 R>>`,
  ],
}
