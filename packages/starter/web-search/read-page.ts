import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import { decode } from './charset.ts'
import { feedAsHtml, isFeed } from './feed.ts'
import type { PageContent } from './fetch-page.ts'
import { readHtml } from './html-reader.ts'
import { type Block, MAX_PAGE_BYTES, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'
import { marked } from './plain-text.ts'
import { MARK, unmarked, written } from './raised-text.ts'

/** Processor time that reading one page of HTML may take, in microseconds. */
const MAX_HTML_US = 120_000
const MAX_PDF_PAGES = 100
/** Processor time to read a PDF's pages, in microseconds; the rest is ignored. The clock would count other processes too. */
const MAX_PDF_US = 400_000

/** Extracts the text of a page by its media type: HTML, PDF or plain text. */
export async function readPage({ type, charset, bytes }: PageContent): Promise<PageText> {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (type === 'application/pdf' || start.startsWith('%PDF-')) return await readPdf(bytes)
  const text = decode(bytes, charset)
  const isHtml = /html|xml$/.test(type) || (type === '' && /^\s*</.test(start))
  const isCut = bytes.length === MAX_PAGE_BYTES
  if (isHtml) {
    const isTimeUp = timeLimit(MAX_HTML_US)
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

/** Tells whether this thread has used so much processor time since now. */
function timeLimit(microseconds: number): () => boolean {
  const startedAt = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(startedAt)
    return user + system > microseconds
  }
}

/** Markdown may hold HTML, and strikes text out of its own. */
function markedMarkdown(text: string): string {
  const [begin, end] = MARK.struck
  return marked(unmarked(text)).replace(/~~(?=\S)([^~\n]{1,300})~~/g, `${begin}$1${end}`)
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

async function readPdf(data: Uint8Array<ArrayBuffer>): Promise<PageText> {
  const { getDocumentProxy, getMeta } = await import('unpdf')
  const settings = {
    data,
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
  }
  const pdf = await getDocumentProxy(data, settings as never)
  try {
    const { info } = await getMeta(pdf)
    const [, year, month, day] = /^D:(\d{4})(\d\d)(\d\d)/.exec(`${info.ModDate ?? info.CreationDate}`) ?? []
    return {
      title: visible(`${info.Title ?? ''}`).slice(0, 500),
      date: day && `${year}-${month}-${day}`,
      passages: await toPassages(await blocksOf(pdf)),
    }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** The text of a PDF's pages, up to the limits of text, pages and time. */
async function blocksOf(pdf: PDFDocumentProxy): Promise<Block[]> {
  const blocks: Block[] = []
  const isTimeUp = timeLimit(MAX_PDF_US)
  let left = MAX_PAGE_TEXT
  for (let number = 1; number <= Math.min(pdf.numPages, MAX_PDF_PAGES); number += 1) {
    const page = await pdf.getPage(number)
    const text = await textOf(page, left, isTimeUp)
    page.cleanup()
    blocks.push(...paragraphs(text).map(block => ({ ...block, heading: `page ${number}` })))
    left -= text.length
    if (left < 0 || isTimeUp()) break
  }
  return blocks
}

/** The text of one page, which stops soon after it is longer than `most` characters or the time is up. */
async function textOf(page: PDFPageProxy, most: number, isTimeUp: () => boolean): Promise<string> {
  let text = ''
  const line = new PdfLine()
  // PDF.js takes no cancellation without a reason, as the end of a loop would be.
  for await (const { items } of page.streamTextContent().values({ preventCancel: true })) {
    for (const item of items) if ('str' in item) text += line.next(item)
    if (text.length > most || isTimeUp()) break
  }
  return text
}

/** A piece of a PDF's text. `transform` holds its direction and, at last, where it stands. */
interface PdfPiece {
  readonly str: string
  readonly height: number
  readonly transform: readonly number[]
  readonly hasEOL: boolean
}

/** Marks what stands smaller and higher or lower than the text before it in a line. */
class PdfLine {
  #height = 0
  #baseline = 0

  next({ str, height, transform, hasEOL }: PdfPiece): string {
    const [, slope = 0, , , , baseline = 0] = transform
    const rise = (baseline - this.#baseline) / this.#height
    const isSmall = slope === 0 && height > 0 && height < 0.85 * this.#height && Math.abs(rise) < 0.7
    if (height > 0 && !isSmall) [this.#height, this.#baseline] = [height, baseline]
    if (hasEOL) this.#height = 0
    const text = unmarked(str)
    const [begin, end] = isSmall ? scriptAt(rise) : []
    return `${begin ?? ''}${text}${end ?? ''}${hasEOL ? '\n' : ''}`
  }
}

function scriptAt(rise: number): readonly string[] {
  if (rise > 0.15) return MARK.sup
  return rise < -0.08 ? MARK.sub : []
}
