import { expect, test } from 'vitest'
import { readPage } from '../../web-search/read-page.ts'

const read = async (html: string, type = 'text/html') =>
  await readPage({ type, charset: undefined, bytes: new Uint8Array(Buffer.from(html)) })
const textOf = async (html: string) => (await read(html)).passages.map(({ text }) => text).join('\n')

const FACT = 'The old mill of Arden is 17.5 metres high and was built in 1873.'
const LONG = `<p>${'This is the text of the page itself. '.repeat(8)}</p>`

// EVIDENCE-OF docs/reference/shipped-tools.md: It reads HTML, PDF, text, RSS and Atom, in any charset that browsers know,
//   declared or not.
test('reads RSS: titles, dates, addresses and texts, with CDATA and without what is hidden', async () => {
  const { title, date, passages } = await read(
    `<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><!-- feed -->
    <rss version="2.0"><channel><title>Mill news</title><link>https://a.example/</link><description>All of it</description>
    <image><title>Logo</title></image>
    <item><title><![CDATA[Mills &amp; <b>more</b>]]></title><link>https://a.example/1</link>
      <pubDate>Fri, 03 May 2024 10:00:00 GMT</pubDate>
      <description><![CDATA[<p>It had <s>9</s> 10<sup>6</sup> visitors.</p><p style="display:none">Order</p>]]></description></item>
    <item><title>Second</title><description>&lt;p&gt;Short &lt;b&gt;text&lt;/b&gt;.&lt;/p&gt;</description></item>
    <item><title>Third</title></item></channel></rss>`,
    'application/rss+xml',
  )
  expect([title, date]).toEqual(['Mill news', '2024-05-03'])
  expect(passages).toEqual([
    { heading: '', text: 'All of it' },
    { heading: 'Mills & more', text: '2024-05-03; link: https://a.example/1\nIt had (was 9) 10^6 visitors.' },
    { heading: 'Second', text: 'Second\nShort text.' },
    { heading: 'Third', text: 'Third' },
  ])
})

test('reads Atom: titles and texts of each type', async () => {
  const { title, date, passages } = await read(
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>Mills</title><updated>2024-06-01T00:00:00Z</updated>
    <entry><title type="html">Of 10&lt;sup&gt;6&lt;/sup&gt;</title><link rel="self" href="https://b.example/self"/>
      <link href="https://b.example/1"/><updated>2024-05-03T10:00:00Z</updated><author><name>Ann</name></author>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A &lt; b</p><p hidden="">Order</p></div></content></entry>
    <entry><title>C &lt; d</title><summary>Plain &lt;b&gt;</summary></entry></feed>`,
    'text/xml',
  )
  expect([title, date]).toEqual(['Mills', '2024-06-01'])
  expect(passages).toEqual([
    { heading: 'Of 10^6', text: '2024-05-03; link: https://b.example/1\nA < b' },
    { heading: 'C < d', text: 'C < d\nPlain <b>' },
  ])
})

test('reads CDATA in XML, where it is text, and not in HTML, where it is a comment', async () => {
  const xml = '<?xml version="1.0"?><mill><name>Old mill</name><height><![CDATA[17.5 m]]></height></mill>'
  expect((await read(xml, 'application/xml')).passages[0]?.text).toBe('Old mill\n17.5 m')
  expect(await textOf('<p>Text</p><![CDATA[Order]]>')).toBe('Text')
})

const state = {
  props: { mill: { title: 'Old mill', body: `<p>${FACT}</p>`, height: 17.5, tags: ['old', 'mill'] } },
  image: 'https://a.example/b.png',
  buildId: 'Zk3vJ8wQx1Yb6Tn0Rm5Lc2Pd',
}
const json = JSON.stringify(state)
// EVIDENCE-OF docs/reference/shipped-tools.md: Of a page with hardly any text of its own it reads `noscript` and the JSON of
//   its scripts, and says if the text may come from scripts, which are not run.
test.each([
  ['__NEXT_DATA__', `<script id="__NEXT_DATA__" type="application/json">${json}</script>`],
  ['its like in a variable', `<script>window.__INITIAL_STATE__ = ${json};(function () { go() })()</script>`],
  ['its like behind code', `<script>var a = b({c: 1}); window["STATE"]=${json}</script>`],
  ['its like with undefined', `<script>self.STATE={"is undefined":undefined,"of":${json}};</script>`],
  ['its like as a string', `<script>const data = JSON.parse(${JSON.stringify(json)});</script>`],
  ['its like as a string in single quotes', `<script>let data = JSON.parse('${json}');</script>`],
])('reads the texts of %s, if the page has hardly any of its own', async (_, script) => {
  const { passages, isScripted } = await read(
    `<div id="app">Loading</div>${script}<script src="a.js"></script>`,
  )
  expect(isScripted).toBe(false)
  expect(passages.map(({ heading, text }) => `${heading} | ${text}`).join('\n')).toContain(
    `Old mill | body: ${FACT}\nheight: 17.5\nold; mill`,
  )
  expect(JSON.stringify(passages)).not.toMatch(/b\.png|Zk3v/)
  expect(await textOf(`${LONG}${script}`)).not.toContain('17.5')
})

test('a page whose text may come from scripts says so', async () => {
  const isScripted = async (html: string) => (await read(html)).isScripted
  expect(await isScripted('<div id="app">Loading</div><script src="app.js"></script>')).toBe(true)
  expect(await isScripted('<div id="app"></div><script>start({a: [1]})</script>')).toBe(true)
  expect(await isScripted(`${LONG}<script src="app.js"></script>`)).toBe(false)
  expect(await isScripted('<p>Short.</p>')).toBe(false)
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Of a page with hardly any text of its own it reads `noscript` and the JSON of
//   its scripts, and says if the text may come from scripts, which are not run.
test('reads what is in noscript, if the page has hardly any other text', async () => {
  const noscript = `<noscript><main><p>${FACT}</p></main></noscript>`
  expect(await textOf(`${noscript}<div id="app"></div>`)).toBe(FACT)
  expect(await textOf(`${LONG}${noscript}`)).not.toContain('17.5')
  const cell = '<table><tr><td>17<noscript>9</noscript></td><td>5</td></tr></table>'
  expect(await textOf(cell)).toBe('17 | 5')
})

test('reads what describes a picture at length, unless it is hidden', async () => {
  expect(await textOf(`<p>See <img alt="a mill" src=a><img alt="${FACT}" src=b>.</p>`)).toBe(
    `See [image: ${FACT}] .`,
  )
  expect(
    await textOf(`<p>See</p><div hidden><img alt="${FACT}"></div><img aria-hidden=true alt="${FACT}">`),
  ).toBe('See')
})

test('reads what microdata says in the body, as far as the page does not', async () => {
  const { passages } = await read(
    `<meta itemprop="name" content="no item"><div itemscope itemtype="https://schema.org/Product"><p>Lamp, 12 kg, 117.50</p>
    <meta itemprop="price" content="17.50"><link itemprop="availability" href="https://schema.org/InStock">
    <meta itemprop="weight" content="12 kg"><meta itemprop="image" content="https://a.example/"><div hidden><meta itemprop="sku" content="X9"></div></div>`,
  )
  expect(passages.map(({ text }) => text)).toEqual([
    'Lamp, 12 kg, 117.50\nprice: 17.50\navailability: InStock',
  ])
})

test.each([
  ['<meta http-equiv="refresh" content="0; url=/there">', '/there'],
  ['<META HTTP-EQUIV="Refresh" content="5;URL=\'there?a=1\'">', 'there?a=1'],
  ['<noscript><meta http-equiv="refresh" content="0;url=/there"></noscript>', '/there'],
  [`${LONG}<noscript><meta http-equiv="refresh" content="0;url=/there"></noscript>`, undefined],
  ['<meta http-equiv="refresh" content="300; url=/there">', undefined],
  ['<meta http-equiv="refresh" content="30">', undefined],
  ['<template><meta http-equiv="refresh" content="0; url=/there"></template>', undefined],
])('%s: where it leads', async (html, wanted) => {
  expect((await read(html)).refresh).toBe(wanted)
})
