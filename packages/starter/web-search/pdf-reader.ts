import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs'
import { MAX_PAGE_TEXT, type PageText, toPassages, visible } from './passages.ts'
import { CMaps } from './pdf-cmaps.ts'
import { linesOf, type Piece } from './pdf-lines.ts'
import { unmarked } from './raised-text.ts'

type TextContent = Awaited<ReturnType<PDFPageProxy['getTextContent']>>
type TextItem = Extract<TextContent['items'][number], { str: string }>

/** Pieces of text in one direction: its cosine and sine. */
interface Writing {
  readonly across: number
  readonly up: number
  readonly pieces: Piece[]
}

/** What PDF.js tells of a form's field, or of text that was typed on a page. */
interface Field {
  readonly rect: readonly [number, number, number, number]
  readonly subtype: string
  readonly fieldType?: string
  readonly fieldValue?: string | readonly string[] | null
  readonly options?: readonly { readonly exportValue: string; readonly displayValue: string }[]
  /** What a checkbox or a radio button stands for. */
  readonly exportValue?: string
  readonly buttonValue?: string
  readonly password?: boolean
  readonly textContent?: readonly string[]
}

/** How far two directions may differ, as sine. */
const SAME_DIRECTION = 0.02
/** How many lines of a field are read. */
const MAX_FIELD_LINES = 1_000
/** The largest size that what is filled in is taken to have, in points. */
const MAX_FIELD_SIZE = 12

/**
 * Reads the text of a PDF and what is filled into its forms, up to the limit of text.
 *
 * @param timeLimit begins the time for its pages; what it returns tells whether that is up
 * @throws {Error} if it is none, or needs a password
 */
export async function readPdf(
  data: Uint8Array<ArrayBuffer>,
  timeLimit: () => () => boolean,
): Promise<PageText> {
  const { getDocumentProxy, getMeta } = await import('unpdf')
  const settings = {
    data,
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    BinaryDataFactory: CMaps,
  }
  const pdf = await getDocumentProxy(data, settings as never)
  try {
    const { info } = await getMeta(pdf)
    const [, year, month, day] = /^D:(\d{4})(\d\d)(\d\d)/.exec(`${info.ModDate ?? info.CreationDate}`) ?? []
    const { pages, isCut } = await pagesOf(pdf, timeLimit())
    const blocks = pages.flatMap((writings, at) =>
      writings.flatMap(({ pieces }) => linesOf(pieces)).map(text => ({ heading: `page ${at + 1}`, text })),
    )
    return {
      title: visible(`${info.Title ?? ''}`).slice(0, 500),
      date: day && `${year}-${month}-${day}`,
      passages: await toPassages(blocks),
      ...(isCut && { isCut }),
    }
  } finally {
    await pdf.loadingTask.destroy()
  }
}

/** The text of each page, by direction. What is filled in has the time that is left, since a long form takes all of it. */
async function pagesOf(pdf: PDFDocumentProxy, isTimeUp: () => boolean) {
  const pages: Writing[][] = []
  let left = MAX_PAGE_TEXT
  const isFull = () => left < 0 || isTimeUp()
  for (let number = 1; number <= pdf.numPages && !isFull(); number += 1) {
    const writings: Writing[] = []
    pages.push(writings)
    const page = await pdf.getPage(number)
    for await (const items of itemsOf(page)) {
      left -= addItems(writings, items)
      if (isFull()) break
    }
    page.cleanup()
  }
  for (const [at, writings] of pages.entries()) {
    if (isFull()) break
    const page = await pdf.getPage(at + 1)
    const fields: Field[] = await page.getAnnotations()
    for (const field of fields) if (!isFull()) left -= addField(writings, field, page.rotate)
  }
  return { pages, isCut: isFull() }
}

async function* itemsOf(page: PDFPageProxy): AsyncGenerator<TextContent['items']> {
  const reader = page.streamTextContent().getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value.items
  } finally {
    // A stream that is left without an end, or without a reason, keeps the document from being closed. One that has just
    // ended on its other side never says that it was cancelled.
    reader.cancel(new Error('left')).catch(() => {})
  }
}

/** @returns how many characters they have */
function addItems(writings: Writing[], items: TextContent['items']): number {
  let length = 0
  let isSpaced = false
  for (const item of items) {
    if (!('str' in item)) continue
    length += item.str.length
    const text = unmarked(item.str)
    const isEmpty = text.trim() === ''
    if (!isEmpty) addItem(writings, item, text, isSpaced)
    isSpaced = isEmpty && (isSpaced || text !== '')
  }
  return length
}

function addItem(writings: Writing[], item: TextItem, text: string, isSpaced: boolean): void {
  const { dir, height, width } = item
  const [a, b, , , x, y] = item.transform as [number, number, number, number, number, number]
  const isVertical = dir === 'ttb'
  const scale = Math.hypot(a, b) || 1
  const { across, up, pieces } = isVertical
    ? writing(writings, 0, -1)
    : writing(writings, a / scale, b / scale)
  const start = x * across + y * up
  const [size, length] = isVertical ? [width, height] : [height || scale, width]
  pieces.push({
    text: text.trim(),
    start,
    end: start + length,
    baseline: y * across - x * up,
    size,
    isRightToLeft: dir === 'rtl',
    isSpaced: isSpaced || /^\s/.test(text),
  })
}

function writing(writings: Writing[], across: number, up: number): Writing {
  const isSame = (one: Writing) =>
    one.across * across + one.up * up > 0 && Math.abs(one.across * up - one.up * across) < SAME_DIRECTION
  const known = writings.find(isSame)
  if (known) return known
  const own = { across, up, pieces: [] }
  writings.push(own)
  return own
}

/**
 * Adds what is filled in to the line in which its box stands, or else behind what is next to that.
 *
 * @returns how many characters it has
 */
function addField(writings: Writing[], field: Field, rotation: number): number {
  const lines = filledIn(field)
  if (lines.length === 0) return 0
  const angle = (rotation * Math.PI) / 180
  const { across, up, pieces } = writing(writings, Math.cos(angle), Math.sin(angle))
  const [left, low, right, high] = field.rect
  const along = [left * across + low * up, right * across + high * up]
  const heights = [low * across - left * up, high * across - right * up]
  const [start, end] = [Math.min(...along), Math.max(...along)]
  const [bottom, top] = [Math.min(...heights), Math.max(...heights)]
  let nearest = -1
  let least = Infinity
  for (const [at, piece] of pieces.entries()) {
    const beside = Math.max(piece.start - end, start - piece.end, 0)
    const over = Math.max(bottom - piece.baseline, piece.baseline - top, 0)
    const distance = beside + 3 * over
    if (distance < least) [nearest, least] = [at, distance]
  }
  const near = pieces[nearest]
  const isInLine = near && near.baseline >= bottom && near.baseline <= top
  const size = Math.min(MAX_FIELD_SIZE, (0.7 * (top - bottom)) / lines.length)
  const first = isInLine ? near.baseline : (bottom + top) / 2 + (lines.length / 2 - 0.8) * size
  const values = lines.map((text, at) => ({
    text,
    start,
    end: Math.min(end, start + (text.length * size) / 2),
    baseline: first - at * 1.2 * size,
    size,
    isRightToLeft: false,
    isSpaced: true,
  }))
  pieces.splice(nearest + 1, 0, ...values)
  return lines.join('').length
}

/** The lines of what a field holds; of a box that is ticked, a cross. */
function filledIn(field: Field): string[] {
  const { subtype, fieldType, fieldValue, options = [], textContent = [] } = field
  if (subtype === 'FreeText') return textContent.map(unmarked).filter(text => text.trim())
  if (subtype !== 'Widget' || !fieldValue || field.password) return []
  if (fieldType === 'Btn') return fieldValue === (field.exportValue ?? field.buttonValue) ? ['[x]'] : []
  const values = [fieldValue].flat().flatMap(value => {
    const shown = options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value
    return unmarked(shown)
      .slice(0, MAX_PAGE_TEXT)
      .split(/\r\n?|\n/, MAX_FIELD_LINES)
  })
  return values.filter(text => text.trim())
}
