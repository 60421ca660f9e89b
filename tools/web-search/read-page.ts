import { inflateSync } from 'node:zlib'
import type { PageContent } from './fetch-page.ts'
import { readHtml } from './html-reader.ts'
import { type Block, MAX_PAGE_BYTES, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'

const MAX_PDF_PAGES = 100
const MAX_PDF_STREAMS = 2_000
/** Maximum number of bytes that all streams of a PDF may unpack to. */
const MAX_PDF_BYTES = 32 * 2 ** 20

/** Extracts the text of a page by its media type: HTML, PDF or plain text. */
export async function readPage({ type, charset, bytes }: PageContent): Promise<PageText> {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (type === 'application/pdf' || start.startsWith('%PDF-')) return await readPdf(bytes)
  const text = decode(bytes, charset ?? declaredCharset(start))
  const isHtml = /html|xml$/.test(type) || (type === '' && /^\s*</.test(start))
  return isHtml ? await readHtml(text) : await readPlain(text)
}

/** Decodes by the byte order mark, else the declared charset, else UTF-8 if valid, else windows-1252, the web's old default. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (charset !== undefined && !(bytes[0] === 0xef && bytes[1] === 0xbb)) {
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // Ignore an unknown charset.
    }
  }
  try {
    // A page cut at the size limit may end inside a character.
    const stream = bytes.length === MAX_PAGE_BYTES
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
  } catch {
    return new TextDecoder(charset === undefined ? 'windows-1252' : 'utf-8').decode(bytes)
  }
}

/** @see https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding */
function declaredCharset(start: string): string | undefined {
  const name =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,100}encoding\s*=\s*["']([\w.:-]+)/i.exec(
      start,
    )
  const charset = name?.[1] ?? name?.[2]
  // The declaration was readable as ASCII, so the page is not UTF-16.
  return charset && /^utf-?16/i.test(charset) ? 'utf-8' : charset
}

async function readPlain(text: string): Promise<PageText> {
  return { title: '', date: undefined, passages: await toPassages(paragraphs(text)) }
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
    const line = visible(raw)
    const title = /^#{1,6} (.+)$/.exec(line)?.[1]
    if (title !== undefined || line === '') flush()
    if (title !== undefined) heading = title.slice(0, 150)
    else if (line !== '') lines.push(line)
  }
  flush()
  return blocks
}

async function readPdf(bytes: Uint8Array<ArrayBuffer>): Promise<PageText> {
  expectModestStreams(bytes)
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  const pdf = await getDocumentProxy(bytes, {
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
  } as never)
  if (pdf.numPages > MAX_PDF_PAGES) throw new Error('a PDF of too many pages')
  const { info } = await getMeta(pdf)
  const { text: pages } = await extractText(pdf, { mergePages: false })
  const blocks = pages.flatMap((text, page) =>
    paragraphs(text).map(block => ({ ...block, heading: `page ${page + 1}` })),
  )
  const [, year, month, day] = /^D:(\d{4})(\d\d)(\d\d)/.exec(String(info.ModDate ?? info.CreationDate)) ?? []
  return {
    title: visible(String(info.Title ?? '')).slice(0, 500),
    date: day && `${year}-${month}-${day}`,
    passages: await toPassages(blocks),
  }
}

/** The PDF library unpacks whole streams, so refuse a file whose streams unpack to gigabytes. */
function expectModestStreams(bytes: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(bytes)
  if (/\/Filter\s*\[[^\]]{0,100}(?:Flate|LZW|RunLength)[^\]]{0,100}(?:Flate|LZW|RunLength)/.test(text))
    throw new Error('a PDF packed twice')
  if (text.split('stream').length > 2 * MAX_PDF_STREAMS) throw new Error('a PDF of too many streams')
  let left = MAX_PDF_BYTES
  for (const {
    index,
    0: { length },
  } of text.matchAll(/stream\r?\n/g)) {
    try {
      left -= inflateSync(bytes.subarray(index + length), {
        maxOutputLength: Math.max(1, left),
        finishFlush: 2,
      }).length
    } catch (error) {
      // Any other error means it is not a decompression bomb.
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error
    }
  }
}
