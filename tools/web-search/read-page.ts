import { inflateSync } from 'node:zlib'
import type { PageContent } from './fetch-page.ts'
import { readHtml } from './html-reader.ts'
import { type Block, MAX_PAGE_TEXT, type PageText, toPassages, visible } from './page-text.ts'

const MAX_PDF_PAGES = 100
/** Most that the streams of a PDF may unpack to together, in bytes. */
const MAX_PDF_BYTES = 32 * 2 ** 20

/** Takes the text out of a page: HTML, PDF, or plain text, as its media type says. */
export async function readPage({ type, charset, bytes }: PageContent): Promise<PageText> {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  if (type === 'application/pdf' || start.startsWith('%PDF-')) return await readPdf(bytes)
  const text = decode(bytes, charset ?? declaredCharset(start))
  const isHtml = /html|xml$/.test(type) || (type === '' && /^\s*</.test(start))
  return isHtml ? await readHtml(text) : await readPlain(text)
}

/** By the byte order mark, then the name given, then UTF-8 if it is that, else the web's old default. */
function decode(bytes: Uint8Array, charset: string | undefined): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  if (charset !== undefined && !(bytes[0] === 0xef && bytes[1] === 0xbb)) {
    try {
      return new TextDecoder(charset).decode(bytes)
    } catch {
      // A name that nobody knows says nothing.
    }
  }
  try {
    // What is cut at the largest size may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
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
  // ASCII could be read up to there, so it is not UTF-16.
  return charset && /^utf-?16/i.test(charset) ? 'utf-8' : charset
}

async function readPlain(text: string): Promise<PageText> {
  return { title: '', date: undefined, passages: await toPassages(paragraphs(text)) }
}

/** Paragraphs, with the headings of Markdown. */
function paragraphs(text: string): Block[] {
  let heading = ''
  return text
    .slice(0, MAX_PAGE_TEXT)
    .split(/\n\s*\n|(?=^#{1,6} )|(?<=^#{1,6} .*)\n/m)
    .flatMap(part => {
      const title = /^\s*#{1,6} (.*)$/.exec(part)?.[1]
      if (title !== undefined) heading = visible(title).slice(0, 150)
      const lines = part.split('\n').map(visible).filter(Boolean)
      if (title !== undefined || lines.length === 0) return []
      // A table of Markdown keeps its header row; the row of dashes says nothing.
      const [header = '', dashes = '', ...rows] = lines
      if (/^\|?[\s:|-]+$/.test(dashes) && dashes.includes('-') && header.includes('|'))
        return [{ heading, text: header, rows }]
      return [{ heading, text: lines.join(lines.every(line => line.length < 80) ? '\n' : ' ') }]
    })
}

async function readPdf(bytes: Uint8Array<ArrayBuffer>): Promise<PageText> {
  expectModestStreams(bytes)
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  const pdf = await getDocumentProxy(bytes, { isEvalSupported: false, disableFontFace: true } as never)
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

/** The reader unpacks streams whole: one that unpacks to gigabytes must not come to it. */
function expectModestStreams(bytes: Uint8Array): void {
  const text = new TextDecoder('latin1').decode(bytes)
  if (/\/Filter\s*\[[^\]]*(?:Flate|LZW|RunLength)[^\]]*(?:Flate|LZW|RunLength)/.test(text))
    throw new Error('a PDF packed twice')
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
      // Whatever else is wrong with it, it is no bomb.
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw error
    }
  }
}
