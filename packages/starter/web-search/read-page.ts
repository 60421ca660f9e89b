import { decode } from './charset.ts'
import { feedAsHtml, isFeed } from './feed.ts'
import type { PageContent } from './fetch-page.ts'
import { readHtml } from './html-reader.ts'
import { type Block, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'
import { readPdf } from './pdf-reader.ts'
import { withMarks } from './plain-text.ts'
import { MARK, unmarked, written } from './raised-text.ts'

/** Processor time that reading a page may take, in microseconds; the rest is left out. The clock would count other processes too. */
const MAX_US = 400_000
/** By the clock, in milliseconds: on a machine that gives it no processor, the reader soon ends, and with it what was read. */
const MAX_MS = 1_200

/** Extracts the text of a page by its media type: HTML, PDF or plain text. */
export async function readPage({ type, charset, bytes, isCut = false }: PageContent): Promise<PageText> {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (type === 'application/pdf' || start.startsWith('%PDF-'))
    return withCut(await readPdf(bytes, timeLimit), isCut)
  const text = decode(bytes, charset, isCut)
  const isHtml = /html|xml$/.test(type) || (type === '' && /^\s*</.test(start))
  if (isHtml) {
    const isTimeUp = timeLimit()
    const page = isFeed(text)
      ? await readHtml(feedAsHtml(text, isTimeUp), isTimeUp)
      : await readHtml(text, isTimeUp, type.endsWith('xml'))
    return withCut(page, isCut)
  }
  const own = type === 'text/markdown' ? markedMarkdown(text) : unmarked(text)
  const { csvBlocks } = await import('./csv.ts')
  const blocks = csvBlocks(own, type) ?? paragraphs(own)
  return withCut({ title: '', passages: await toPassages(blocks) }, isCut || text.length > MAX_PAGE_TEXT)
}

function withCut(page: PageText, isCut: boolean): PageText {
  return isCut ? { ...page, isCut } : page
}

/** Tells whether the time for a page that is read from now on is up. */
function timeLimit(): () => boolean {
  const startedAt = process.threadCpuUsage()
  const endsAt = performance.now() + MAX_MS
  return () => {
    const { user, system } = process.threadCpuUsage(startedAt)
    return user + system > MAX_US || performance.now() > endsAt
  }
}

/** Markdown may hold HTML, and strikes text out of its own. */
function markedMarkdown(text: string): string {
  const [begin, end] = MARK.struck
  return withMarks(unmarked(text)).replace(/~~(?=\S)([^~\n]{1,300})~~/g, `${begin}$1${end}`)
}

/** Splits text into paragraphs, recognising Markdown headings and tables. */
function paragraphs(text: string): Block[] {
  const blocks: Block[] = []
  let heading = ''
  let lines: string[] = []
  const flush = () => {
    const [header = '', dashes = '', ...rows] = lines
    const isTable = header.includes('|') && dashes.includes('-') && /^[\s:|-]+$/.test(dashes)
    if (isTable) blocks.push({ heading, text: header, rows })
    else if (lines.length > 0) {
      const isVerse = lines.every(line => line.length < 80)
      blocks.push({ heading, text: lines.join(isVerse ? '\n' : ' ') })
    }
    lines = []
  }
  for (const raw of text.slice(0, MAX_PAGE_TEXT).split('\n')) {
    const line = visible(written(raw))
    const title = /^#{1,6} (.+)$/.exec(line)?.[1]
    if (title !== undefined || line === '') flush()
    if (title !== undefined) heading = title.slice(0, 150)
    else if (line !== '') lines.push(line)
  }
  flush()
  return blocks
}
