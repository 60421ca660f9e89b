import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { MAX_PAGE_TEXT } from '../../../tools/web-search/passages.ts'
import { readPage } from '../../../tools/web-search/read-page.ts'
import { inReader } from '../../../tools/web-search/reader.ts'
import { some } from '../../support/at-length.ts'
import { hostilePages } from './hostile-pages.ts'

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

test('in the thread, none blocks the next page', async () => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (const { content } of few(1)) {
    await inThread(AbortSignal.timeout(60_000), 'readPage', content).catch(() => {})
    const plain = { type: 'text/plain', charset: undefined, bytes: new TextEncoder().encode('still here') }
    const { passages } = await inThread(AbortSignal.timeout(60_000), 'readPage', plain)
    expect(passages).toEqual([{ heading: '', text: 'still here' }])
  }
  delay.disable()
  process.stdout.write(`longest delay of the event loop: ${Math.round(delay.max / 1e6)} ms\n`)
})
