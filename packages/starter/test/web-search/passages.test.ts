import { countTokens } from '@agent-task-service/engine/tokens'
import { pdf } from '@agent-task-service/test-support/web/pdf'
import { expect, test } from 'vitest'
import { choose } from '../../web-search/choose.ts'
import { readPage } from '../../web-search/read-page.ts'
import { type FoundPage, wordedSnippets } from '../../web-search/result-text.ts'

const read = (type: string, body: string | Uint8Array, charset?: string) =>
  readPage({ type, charset, bytes: new Uint8Array(Buffer.from(body as string)) })
const textOf = async (html: string) =>
  (await read('text/html', html)).passages.map(({ text }) => text).join('\n')

test('a table keeps its heading, its caption and its header row, in each of its parts', async () => {
  const rows = Array.from({ length: 60 }, (_, n) => `<tr><td>Town ${n}</td><td>${n * 37} people</td></tr>`)
  const { passages } = await read(
    'text/html',
    `<h1>Atlas</h1><h2>Towns</h2><table><caption>By size</caption><tr><th>Name</th><th>Size</th></tr>${rows.join('')}</table>`,
  )
  expect(passages.length).toBeGreaterThan(2)
  for (const { heading, text } of passages) {
    expect(heading).toBe('Atlas › Towns › By size')
    expect(text).toMatch(/^Name \| Size\nTown /)
  }
})

test('cells that span rows and columns are repeated where they apply', async () => {
  const html =
    '<table><tr><th>Who</th><th colspan=2>Years</th></tr><tr><td rowspan=2>Ann</td><td>1901</td><td>1910</td></tr><tr><td>1920</td><td>1931</td></tr></table>'
  expect(await textOf(html)).toBe('Who | Years | Years\nAnn | 1901 | 1910\nAnn | 1920 | 1931')
})

test('a table used for layout is ordinary text', async () => {
  const html =
    '<table><tr><td><h2>One</h2><p>First text.</p></td><td><table><tr><td>Second text.</td></tr></table></td></tr></table>'
  const text = await textOf(html)
  expect(text).toContain('First text.')
  expect(text).toContain('Second text.')
})

test('lists keep their items, definitions their terms', async () => {
  expect(
    await textOf('<p>Bring:</p><ul><li>a rope</li><li>a lamp</li></ul><dl><dt>Rope</dt><dd>30 m</dd></dl>'),
  ).toBe('Bring:\n- a rope\n- a lamp\nRope: 30 m')
})

test.each([
  ['navigation', '<nav>x <b>menu</b></nav>'],
  ['a footer', '<footer>imprint</footer>'],
  ['a cookie banner', '<div id="cookie-banner">accept</div>'],
  ['a dialog', '<div role="dialog">sign in</div>'],
  ['a list of links', '<ul><li><a href=1>one link</a></li><li><a href=2>other link</a></li></ul>'],
])('omits %s', async (_, part) => {
  const own = `<p>${'This is the text of the page itself. '.repeat(8)}</p>`
  expect((await textOf(`<body>${part}<main>${own}</main>${part}</body>`)).trim()).toBe(own.slice(3, -5))
})

test.each(['has-sidebar', 'share-price', 'sidebar'])(
  'reads what is inside a %s that holds the page',
  async name => {
    const own = 'This is the text of the page itself.'
    const aside = '<aside><a href=1>an aside inside</a></aside>'
    const html = `<div class="${name}" id="${name}"><main><p>${own.repeat(9)}</p>${aside}</main></div>`
    expect(await textOf(html)).toBe(own.repeat(9))
  },
)

test('separates spans that stand side by side', async () => {
  expect(await textOf('<p><span>Weight</span><span>12 kg</span></p>')).toBe('Weight 12 kg')
})

test.each([
  [
    'collapsed answers',
    '<details><summary>How long?</summary><p>12 days</p></details>',
    'How long?\n12 days',
  ],
  [
    'the panels of tabs',
    '<div role="tabpanel" hidden>12 kg</div><div role="tabpanel" style="display:none">9 m</div><div role="tabpanel" aria-hidden="true">7 l</div>',
    '12 kg\n9 m\n7 l',
  ],
  [
    'nothing else that is hidden',
    '<p>Text</p><div hidden>a</div><p style="display:none">b</p><div hidden><i role=tabpanel>c</i></div>',
    'Text',
  ],
])('reads %s', async (_, html, wanted) => {
  expect(await textOf(html)).toBe(wanted)
})

test.each([
  [
    {
      '@type': 'FAQPage',
      mainEntity: [
        {
          '@type': 'Question',
          name: 'How long?',
          acceptedAnswer: { '@type': 'Answer', text: '<p>12&nbsp;days</p>' },
        },
      ],
    },
    ['How long?', '12 days'],
  ],
  [
    {
      '@graph': [
        {
          '@type': ['Product'],
          name: 'Lamp',
          image: 'https://a.example/',
          weight: { value: 12, unitText: 'kg' },
          offers: [{ price: '9.90', availability: 'https://schema.org/InStock' }],
        },
      ],
    },
    ['Lamp', 'weight: 12, unit text kg\noffers: price 9.90, availability InStock'],
  ],
  [
    {
      '@type': 'MusicEvent',
      name: 'Jazz',
      startDate: '2026-12-01',
      location: { name: 'Hall', address: { addressLocality: 'Bonn' } },
    },
    ['Jazz', 'start date: 2026-12-01\nlocation: Hall, address address locality Bonn'],
  ],
  [{ '@type': 'Article', name: 'Copy', articleBody: 'Text of the page' }, undefined],
  [{ '@type': 'Organization', name: 'Seller' }, undefined],
])('reads JSON-LD beside the page: %j', async (data, wanted) => {
  const script = `<script type="application/ld+json">${JSON.stringify(data)}</script>`
  const { passages } = await read(
    'text/html',
    `${script}<p>Text of the page</p><script type="application/ld+json">{"cut</script>`,
  )
  expect(passages[1] && [passages[1].heading, passages[1].text]).toEqual(wanted)
})

test('reads a page that is all frame anyway', async () => {
  expect(await textOf('<body class="sidebar"><nav>Opening hours: 9 to 5</nav></body>')).toContain('9 to 5')
})

test.each<[string, string, Uint8Array | string, string | undefined]>([
  ['as the header says', 'text/html', Buffer.from('<p>Caf\xe9</p>', 'latin1'), 'iso-8859-1'],
  [
    'as the page says',
    'text/html',
    Buffer.from('<meta charset="windows-1252"><p>Caf\xe9</p>', 'latin1'),
    undefined,
  ],
  ['from its byte order mark', 'text/html', Buffer.from('\ufeff<p>Café</p>', 'utf16le'), 'utf-8'],
  ['as UTF-8, if undeclared', 'text/html', '<p>Café</p>', undefined],
  ['as the old default, if that fails', 'text/plain', Buffer.from('Caf\xe9', 'latin1'), undefined],
  ['as UTF-8, if it is, whatever the header says', 'text/html', '<p>Café</p>', 'iso-8859-1'],
  [
    'as the page says, if the header is wrong',
    'text/html',
    Buffer.from('<meta charset="windows-1252"><p>Caf\xe9</p>', 'latin1'),
    'utf-8',
  ],
  [
    'as the page says late',
    'text/html',
    Buffer.from(
      `<!-- <meta charset="koi8-r"> --><script>${'var a = 1;'.repeat(200)}</script><meta content="text/html; charset=cp1252" http-equiv="Content-Type"><p>Caf\xe9</p>`,
      'latin1',
    ),
    undefined,
  ],
  ['without its byte order mark', 'text/html', Buffer.from('<p>Café</p>', 'utf16le'), undefined],
])('reads a charset %s', async (_, type, body, charset) => {
  expect((await read(type, body, charset)).passages[0]?.text).toBe('Café')
})

/** Sentences in old charsets, which Node only decodes. */
const UNDECLARED: readonly [charset: string, base64: string, wanted: string][] = [
  [
    'windows-1251',
    '0fLg8OD/IOzl6/zt6PbgIOjs5eXyIOL78e7y8yAxNyDs5fLw7uIu',
    'Старая мельница имеет высоту 17 метров.',
  ],
  [
    'KOI8-R',
    '89TB0sHRIM3FzNjOycPBIMnNxcXUINfZ08/U1SAxNyDNxdTSz9cu',
    'Старая мельница имеет высоту 17 метров.',
  ],
  [
    'Shift_JIS',
    'jMOCopCFjtSPrImugsyNgoKzgs0xN4OBgVuDZ4OLgsWBQZDOkaKC6ILFgreBQg==',
    '古い水車小屋の高さは17メートルで、石造りです。',
  ],
  [
    'EUC-JP',
    'uMWkpL/lvNa+rrKwpM654qS1pM8xN6XhobylyKXrpMehosDQwqSk6qTHpLmhow==',
    '古い水車小屋の高さは17メートルで、石造りです。',
  ],
  [
    'ISO-2022-JP',
    'GyRCOEUkJD9lPFY+LjIwJE45YiQ1JE8bKEIxNxskQiVhITwlSCVrJEchIkBQQiQkaiRHJDkhIxsoQg==',
    '古い水車小屋の高さは17メートルで、石造りです。',
  ],
  ['GBK', 'sKK1x7XEwM/Epbe7uN8xN8PXo6y9qNPaMTg3M8TqoaM=', '阿登的老磨坊高17米，建于1873年。'],
  ['Big5', 'qvy1bqq6ptG/aad7sKoxN6bMoUGr2KnzMTg3M6Z+oUM=', '阿登的老磨坊高17米，建於1873年。'],
  ['EUC-KR', 'v8C3obXIILnmvtGwo8C6ILP0wMywoSAxN7nMxc3AzLTZLg==', '오래된 방앗간은 높이가 17미터이다.'],
  ['ISO-8859-7', 'zyDw4evp/PIg7P3r7/Ig3ffl6SD9+O/yIDE3IOzd9PHhLg==', 'Ο παλιός μύλος έχει ύψος 17 μέτρα.'],
  [
    'windows-1250',
    'U3Rhcv0gbWz9biB2IEFyZGVudSBt4SB2/ZprdSAxNyBtZXRy+Swg+O1r4SBwcvl2b2RjZS4=',
    'Starý mlýn v Ardenu má výšku 17 metrů, říká průvodce.',
  ],
  [
    'windows-1252',
    'RGllIGFsdGUgTfxobGUgaXN0IDE3IE1ldGVyIGhvY2ggliBm/HIghEL8cmdlcpMu',
    'Die alte Mühle ist 17 Meter hoch – für „Bürger“.',
  ],
]
// EVIDENCE-OF docs/reference/shipped-tools.md: It reads HTML, PDF, text, RSS and Atom, in any charset that browsers know,
//   declared or not.
test.each(UNDECLARED)('reads %s that nothing declares', async (_, base64, wanted) => {
  const sentence = Buffer.from(base64, 'base64')
  const html = Buffer.concat([Buffer.from('<html><body class="page"><p>'), sentence, Buffer.from('</p>')])
  expect((await read('text/html', html)).passages[0]?.text).toBe(wanted)
})

test.each([
  [
    '<meta property="article:published_time" content="2021-02-03"><meta property="article:modified_time" content="2022-03-04">',
    '2022-03-04',
  ],
  [
    '<script type="application/ld+json">{"datePublished":"2020-01-02","dateModified":"2020-05-06T00:00"}</script>',
    '2020-05-06',
  ],
  ['<meta name="date" content="2021-02-31">', undefined],
])('%s: its date', async (html, date) => {
  expect((await read('text/html', `<p>Text</p>${html}`)).date).toBe(date)
})

test('reads a PDF with its title, its date and its pages', async () => {
  const lines = Array.from({ length: 60 }, (_, n) => `Line ${n} of the report.`)
  const { title, date, passages } = await read('application/pdf', pdf('Report', lines))
  expect([title, date]).toEqual(['Report', '2024-02-10'])
  expect(passages.find(({ text }) => text.includes('Line 59'))?.heading).toBe('page 3')
})

const page = (number: number, texts: readonly string[], more: Partial<FoundPage> = {}): FoundPage => ({
  number,
  title: `Page ${number}`,
  address: `https://example.org/${number}`,
  date: undefined,
  isRead: true,
  isWhole: true,
  isCut: false,
  leftOut: 0,
  isScripted: false,
  passages: texts.map(text => ({ heading: '', text })),
  shown: [],
  ...more,
})
const counts = (chosen: readonly (readonly [number, number])[]) =>
  Object.values(Object.groupBy(chosen, ([number]) => number)).map(group => group!.length)

const facts = (weight: string) =>
  Array.from({ length: 30 }, (_, n) => `${weight} fact ${n}: ${`word${n} `.repeat(20)}`)

// EVIDENCE-OF docs/configuration.md: | `SEARCH_MAX_TOKENS` |
// EVIDENCE-OF docs/reference/shipped-tools.md: It finds pages, reads them, and returns the passages that match the query,
//   page by page, within `SEARCH_MAX_TOKENS`, without those that match far worse than the best of their page:
test.each([300, 1000])(
  'balances pages that have more, and no exhausted page holds them back, within %i tokens',
  async budget => {
    const pages = [
      page(1, facts('rhine rhine length')),
      page(2, facts('rhine')),
      page(3, facts('length')),
      page(4, ['rhine only once']),
    ]
    const { text, chosen } = await choose('rhine length', pages, 'Head', budget)
    const long = counts(chosen.filter(([number]) => number < 4))
    expect(Math.max(...long) - Math.min(...long)).toBeLessThanOrEqual(2)
    expect(await countTokens(text)).toBeLessThanOrEqual(budget)
  },
)

test.each([
  ['whole and in order, if it fits', 6, 'nothing of it', [0, 1, 2, 3, 4, 5]],
  ['from its start, besides the best', 60, 'dragon', [0, 1, 2, 50]],
])('shows a page that was asked for %s', async (_, length, query, wanted) => {
  const texts = Array.from(
    { length },
    (_, n) => `${n === 50 ? 'dragon' : 'valley'} ${n} ${`w${n} `.repeat(20)}`,
  )
  const { text, chosen } = await choose(query, [page(1, texts)], 'Head', 1500, true)
  expect(chosen.map(([, index]) => index)).toEqual(expect.arrayContaining(wanted))
  expect(text.includes(`${chosen.length} of ${length} passages; more: read 1`)).toBe(chosen.length < length)
})

test('shows near-duplicates once, unless a figure differs', async () => {
  const words =
    'The tower of the old town is seen from everywhere and every guide tells the story of the builder who never came down.'
  const pages = [
    page(1, [`${words} It has 120 steps.`]),
    page(2, [`${words} It has 120 steps!`]),
    page(3, [`${words} It has 124 steps.`]),
  ]
  const { chosen } = await choose('tower steps', pages, 'Head', 1500)
  expect(chosen.map(([number]) => number).sort()).toEqual([1, 3])
})

test.each([
  ['население города', 'Население города составляет 12 тысяч.', 'Здесь холодно зимой.'],
  ['人口 東京', '東京の人口は千四百万人です。', '大阪は商業の町です。'],
  ['art', 'Modern art is shown here.', 'Please start the party.'],
])('%s finds its passage', async (query, right, wrong) => {
  const { chosen } = await choose(query, [page(1, [wrong, right])], 'Head', 1500)
  expect(chosen[0]).toEqual([1, 1])
})

// EVIDENCE-OF docs/reference/shipped-tools.md: It finds pages, reads them, and returns the passages that match the query,
//   page by page, within `SEARCH_MAX_TOKENS`, without those that match far worse than the best of their page:
test('leaves out what matches far worse than the best passage of its own page, unless that page was asked for or is an engine’s selection', async () => {
  const pages = [
    page(1, ['The mill is 17.5 metres high, says the guide to the mill.', 'A guide speaks of other towns.']),
    page(2, ['The guide has few words.', 'Nothing here.']),
  ]
  const { chosen } = await choose('mill metres high guide', pages, 'Head', 1500)
  expect(chosen.sort()).toEqual([
    [1, 0],
    [2, 0],
  ])
  const asked = await choose('mill metres high guide', pages.slice(0, 1), 'Head', 1500, true)
  expect(asked.chosen).toHaveLength(2)
  const selected = pages.map(one => ({ ...one, isWhole: false }))
  expect((await choose('mill metres high guide', selected, 'Head', 1500)).chosen).toHaveLength(3)
})

test('without time to choose, each page shows its first passage with a word of the query that was not shown', () => {
  const texts = ['All about the valley.', 'The mill of the valley.', 'More mills.', 'The end.']
  const pages = [page(1, texts, { shown: [1] }), page(2, texts), page(3, texts, { shown: [1, 2] })]
  const { text, chosen } = wordedSnippets('Head', 'how high is the mill', pages)
  expect(chosen).toEqual([
    [1, 2],
    [2, 1],
  ])
  expect(text).toMatch(/• More mills\.\n\n\[2\][^•]*• The mill of the valley\.\n\n\[3\] Page 3 [^•]*$/)
  expect(wordedSnippets('Head', 'mill', [page(3, texts, { shown: [0, 1, 2] })], true).chosen).toEqual([
    [3, 3],
  ])
  expect(wordedSnippets('Head', 'dragon', [page(1, texts)]).chosen).toEqual([[1, 0]])
})
