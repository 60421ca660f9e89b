import { holds } from '@agent-task-service/test-support/holds'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readPage } from '../../web-search/read-page.ts'

const read = (html: string) =>
  readPage({ type: 'text/html', charset: 'utf-8', bytes: new Uint8Array(Buffer.from(html)) })

/** What people see as text of the page, though not every reader does. */
const PLACES: Readonly<Record<string, (html: string) => string>> = {
  plain: html => `<div>${html}</div>`,
  main: html => `<main>${html}</main>`,
  article: html => `<article>${html}</article>`,
  header: html => `<header><h1>Mills</h1>${html}</header>`,
  'header without a title': html => `<header>${html}</header>`,
  aside: html => `<aside><h2>In figures</h2>${html}</aside>`,
  'named aside': html => `<aside class="sidebar">${html}</aside>`,
  nested: html => `${'<div>'.repeat(700)}${html}${'</div>'.repeat(700)}`,
  'never closed': html => `${'<font><span>'.repeat(300)}${html}`,
  'shadow root': html => `<mill-facts><template shadowrootmode="open">${html}</template></mill-facts>`,
  'frame of its own': html => `<iframe srcdoc="${escaped(html)}">Your browser has no frames.</iframe>`,
  'open dialog': html => `<dialog open>${html}</dialog>`,
  accordion: html => `<h3><button aria-expanded="false">Which mill?</button></h3><div>${html}</div>`,
  'beside a menu': html => `<nav><a href="/">Home</a></nav>${html}<nav><a href="/x">More</a></nav>`,
  'before a menu': html => `${html} and text without an element <nav><a href="/">Home</a></nav>`,
}

function escaped(html: string): string {
  return html.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** How a page states a number. */
const FACTS: Readonly<Record<string, (value: string) => string>> = {
  sentence: value => `<p>The old mill is ${value} metres high.</p>`,
  list: value => `<ul><li>Height: ${value} m</li><li>Built in 1873</li></ul>`,
  terms: value => `<dl><dt>Height</dt><dd>${value} m</dd></dl>`,
  table: value =>
    `<table><tr><th>Mill</th><th>Height</th></tr><tr><td>Old</td><td>${value}</td></tr></table>`,
  field: value => `<label>Height <input value="${value}"></label>`,
  question: value => `<h3><button>Is it ${value} m high?</button></h3><p>It is.</p>`,
  'link beside text': value => `<p>The <a href="/old">old mill</a> has ${value} metres of height.</p>`,
}

const fact = fc.record({
  places: fc.array(fc.constantFrom(...Object.keys(PLACES)), { maxLength: 3 }),
  kind: fc.constantFrom(...Object.keys(FACTS)),
  value: fc.integer({ min: 100, max: 9_999 }).map(tenths => (tenths / 10).toFixed(1)),
})

// EVIDENCE-OF docs/reference/shipped-tools.md: Text is read wherever a browser shows it: in a page's header, beside it, in shadow
//   roots, in frames whose document is in the page, at any depth.
test('finds each fact, wherever on a page it stands', async () => {
  const page = fc.asyncProperty(fc.array(fact, { minLength: 1, maxLength: 4 }), async facts => {
    const parts = facts.map(({ places, kind, value }) =>
      places.reduceRight((html, place) => PLACES[place]!(html), FACTS[kind]!(value)),
    )
    const own = `<p>${'This page tells of mills and of those who built them. '.repeat(8)}</p>`
    const { passages } = await read(`<html><head><title>Mills</title></head><body>${own}${parts.join(own)}`)
    const text = passages.map(({ heading, text }) => `${heading}\n${text}`).join('\n')
    for (const { value } of facts) expect(text).toMatch(new RegExp(`(?<![\\d.])${value}(?![\\d.])`))
  })
  await holds(60, page)
})

test('tells how many lines of menus it leaves out, and keeps lists of links that are the text', async () => {
  const menus = fc.array(
    fc.tuple(fc.constantFrom('nav', 'div', 'footer', 'aside'), fc.integer({ min: 1, max: 9 })),
    {
      maxLength: 5,
    },
  )
  const page = fc.asyncProperty(menus, fc.integer({ min: 1, max: 30 }), async (menus, length) => {
    const links = (count: number, name: string) =>
      Array.from({ length: count }, (_, n) => `<li><a href="/${name}/${n}">${name} ${n}</a></li>`).join('')
    const around = menus.map(
      ([element, count]) => `<${element}><ul>${links(count, 'menu')}</ul></${element}>`,
    )
    const own = `<main><p>${'These are the mills of the valley, by name. '.repeat(6)}</p><ul>${links(length, 'mill')}</ul></main>`
    const { passages, leftOut } = await read(`${around.join('')}${own}`)
    const text = passages.map(({ text }) => text).join('\n')
    expect(text.match(/- mill \d+/g)).toHaveLength(length)
    expect(text).not.toContain('menu')
    expect(leftOut).toBe(menus.reduce((sum, [, count]) => sum + count, 0))
  })
  await holds(40, page)
})

test.each([
  ['a template that is no shadow root', '<template><p>secret</p></template>'],
  ['a closed dialog', '<dialog><p>secret</p></dialog>'],
  ['a hidden frame', '<iframe hidden srcdoc="<p>secret</p>"></iframe>'],
  ['a frame in what is hidden', '<div style="display:none"><iframe srcdoc="<p>secret</p>"></iframe></div>'],
  ['a script far inside', `${'<div>'.repeat(500)}<script>secret</script>`],
  ['a button of the page', '<button>secret</button>'],
  ['a field that holds none', '<input type="hidden" value="secret"><input type="password" value="secret">'],
])('does not read %s', async (_, html) => {
  const { passages, refresh } = await read(`<p>${'Text of the page. '.repeat(20)}</p>${html}`)
  expect(JSON.stringify(passages)).not.toContain('secret')
  expect(refresh).toBeUndefined()
})

test('a frame does not lead the page on', async () => {
  const meta = '<meta http-equiv=refresh content="0;url=/elsewhere">'
  const { refresh } = await read(`<p>Text</p><iframe srcdoc='${meta}<p>Text</p>'></iframe>`)
  expect(refresh).toBeUndefined()
})
