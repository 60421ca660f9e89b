import { readFileSync } from 'node:fs'
import { some } from '@agent-task-service/test-support/at-length'
import { honest, page, read, readerReady, watchReaders } from '@agent-task-service/test-support/web/reading'
import { beforeAll, expect, test } from 'vitest'
import { hostilePages } from './hostile-pages.ts'

const pages = Object.entries(hostilePages).map(([name, make]) => ({ name, make }))

/** Most characters of a page's text; header rows stand above each part of a table. */
const MOST_TEXT = 3 * 200_000
let honestPeak = 0

beforeAll(async () => {
  await readerReady()
  const peak = watchReaders()
  // The first one of a busy machine may take too long, while the reader's code is compiled.
  for (const content of [honest.html, honest.pdf]) await read(content).catch(() => read(content))
  honestPeak = peak.end()
})

// EVIDENCE-OF docs/guides/deployment.md: the process that reads web pages: up to 140 MB while searches go on, 160 MB for the
//   longest pages, at most 100 MB more for a hostile page, nothing after an idle minute
test('the longest honest pages take what docs/guides/deployment.md says', () => {
  const guide = readFileSync('docs/guides/deployment.md', 'utf8')
  const documented = Number(/(\d+) MB for the longest pages/.exec(guide)?.[1])
  expect(honestPeak / documented).toBeGreaterThan(0.7)
  // A busy machine leaves more garbage lying for longer.
  expect(honestPeak / documented).toBeLessThan(1.3)
})

// EVIDENCE-OF docs/guides/deployment.md: the process that reads web pages: up to 140 MB while searches go on, 160 MB for the
//   longest pages, at most 100 MB more for a hostile page, nothing after an idle minute
// EVIDENCE-OF docs/reference/threat-model.md: The kernel limits what it allocates, and a page that takes too long ends it: no page takes
//   100 MB more than an honest one.
test.each(some(pages, 4))(
  '$name is read up to a bound, or refused: without 100 MB more than an honest page, and the next is read',
  async ({ make }) => {
    const hostile = page(...make())
    const peak = watchReaders()
    const found = (await read(hostile).catch(() => ({ passages: [] }))) as { passages: { text: string }[] }
    const text = found.passages.map(passage => passage.text).join('')
    expect(text.length).toBeLessThanOrEqual(MOST_TEXT)
    expect(text).not.toMatch(/while\(|root:/)
    expect(peak.end() - honestPeak).toBeLessThan(100)
    expect(await read(honest.text)).toMatchObject({ passages: [{ heading: '', text: 'still here' }] })
  },
)
