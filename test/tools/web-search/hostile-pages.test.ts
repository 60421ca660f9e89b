import { expect, test } from 'vitest'
import { MAX_PAGE_TEXT } from '../../../tools/web-search/passages.ts'
import { readPage } from '../../../tools/web-search/read-page.ts'
import { some } from '../../support/at-length.ts'
import { hostilePages } from './hostile-pages.ts'
import { honest, read, watchReaders } from './reading.ts'

const pages = Object.entries(hostilePages).map(([name, [type, body]]) => {
  return { name, content: { type, charset: undefined, bytes: new Uint8Array(Buffer.from(body as string)) } }
})

/** Different pages for each test. */
const few = (first: number) => some(pages.slice(first).concat(pages.slice(0, first)), 6)

test('there are at least 40', () => expect(pages.length).toBeGreaterThanOrEqual(40))

test.each(few(0))('reads $name up to a bound, or refuses it', async ({ content }) => {
  const read = await readPage({ ...content, bytes: content.bytes.slice() }).catch(() => undefined)
  const text = read?.passages.map(passage => passage.text).join('') ?? ''
  // Header rows stand above each part of a table.
  expect(text.length).toBeLessThanOrEqual(3 * MAX_PAGE_TEXT)
  expect(text).not.toMatch(/while\(|root:/)
})

test('in the reader, none blocks the next page, or takes 100 MB more than an honest one', async () => {
  const peak = await watchReaders()
  for (const content of [honest.html, honest.pdf]) await read(content)
  const before = peak()
  for (const { content } of few(1)) {
    await read(content).catch(() => {})
    expect(await read(honest.text)).toMatchObject({ passages: [{ heading: '', text: 'still here' }] })
  }
  expect(peak() - before).toBeLessThan(100)
})
