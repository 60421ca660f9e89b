import { rowText } from './html-table.ts'
import { visible } from './passages.ts'
import { MARK, written } from './raised-text.ts'

/** A piece of a PDF's text, where it stands along its own direction. */
export interface Piece {
  readonly text: string
  /** Where it begins and ends, and the line it stands on, which falls from line to line. In points, as is `size`. */
  readonly start: number
  readonly end: number
  readonly baseline: number
  readonly size: number
  readonly isRightToLeft: boolean
  /** Whether a space is drawn before it. */
  readonly isSpaced: boolean
}

/** Pieces on one baseline, that of the first which is not raised or lowered. */
interface Line {
  readonly pieces: Piece[]
  baseline: number
  size: number
  start: number
  end: number
}

/** Lines one below the other. */
interface Run {
  readonly lines: Line[]
  /** Whether it is one line, with columns. */
  readonly isRow: boolean
}

// All in sizes of the text.
/** A gap from which on a word ends. PDF.js has the same. */
const WORD_GAP = 0.1
/** A gap from which on a column ends: two spaces, of the widest that fonts have. */
const COLUMN_GAP = 1
/** How far a number reaches over the one before it that does not go on with it. PDF.js has the same. */
const OVERLAP = 0.2
/** How far pieces of a line, and rows drawn one column after the other, may stand from its baseline. */
const SAME_LINE = 0.4
/** Lines of running text are at least so wide, together so long, and at most so far from each other and to the side. */
const PROSE_WIDTH = 12
const PROSE_LENGTH = 36
const NEXT_LINE = 2.5
const INDENT = 4
/** Share of the widest line of its run that a line has which runs on into the next. */
const FULL = 0.75
/** A bullet or a currency goes with what follows, however far. */
const BEFORE_TEXT = /^[\p{So}\p{Sc}\p{Co}•‣·*\s]+$/u
/** How many pieces before it may hide the shadow of one. */
const MAX_SHADOWS = 8

/**
 * The paragraphs and rows of a page, from its pieces in the order in which they are drawn. Pieces on one baseline are one
 * line, with a bar where a column ends, whenever they are drawn. Only running text stays in the order in which it is drawn,
 * so that columns of it are read one after the other, and only its lines are joined to paragraphs.
 */
export function linesOf(pieces: readonly Piece[]): string[] {
  const texts: string[][] = []
  let rows: Line[] = []
  const endRows = () => {
    texts.push(sharedLines(rows).flatMap(textOf))
    rows = []
  }
  for (const { lines, isRow } of runsOf(drawnLines(pieces))) {
    if (!isRow && isProse(lines)) {
      endRows()
      texts.push(paragraphsOf(lines))
    } else for (const line of lines) rows.push(line)
  }
  endRows()
  return texts.flat()
}

function drawnLines(pieces: readonly Piece[]): Line[] {
  const lines: Line[] = []
  for (const piece of pieces) {
    const line = lines.at(-1)
    if (line && (isOn(line, piece) || isScript(line, piece))) add(line, piece)
    else lines.push({ ...piece, pieces: [piece] })
  }
  return lines
}

function isOn({ baseline, size }: Line, piece: Pick<Piece, 'baseline' | 'size'>): boolean {
  return Math.abs(piece.baseline - baseline) <= SAME_LINE * Math.min(size, piece.size)
}

/** Whether one stands smaller than the other at its end, and higher or lower. */
function isScript({ baseline, size, end }: Line, piece: Piece): boolean {
  const [small, large] = [Math.min(size, piece.size), Math.max(size, piece.size)]
  const isNear = Math.abs(piece.start - end) < COLUMN_GAP * large
  return isNear && isSmaller(small, large) && Math.abs(piece.baseline - baseline) < 0.7 * large
}

function isSmaller(size: number, than: number): boolean {
  return size < 0.85 * than
}

function add(line: Line, piece: Piece): void {
  line.pieces.push(piece)
  if (isSmaller(line.size, piece.size)) Object.assign(line, { baseline: piece.baseline, size: piece.size })
  line.start = Math.min(line.start, piece.start)
  line.end = Math.max(line.end, piece.end)
}

function runsOf(lines: readonly Line[]): Run[] {
  const runs: Run[] = []
  for (const line of lines) {
    const isRow = cellsOf(line).length > 1
    const last = runs.at(-1)
    if (last && !last.isRow && !isRow && isNext(last.lines.at(-1)!, line)) last.lines.push(line)
    else runs.push({ lines: [line], isRow })
  }
  return runs
}

function isNext(last: Line, line: Line): boolean {
  const fall = last.baseline - line.baseline
  const size = Math.max(last.size, line.size)
  return fall > 0 && fall <= NEXT_LINE * size && Math.abs(line.start - last.start) <= INDENT * size
}

/** Running text fills most of its lines, but perhaps the last, with letters. */
function isProse(lines: readonly Line[]): boolean {
  const full = lines.filter(isFullIn(lines)).filter(isWide)
  const width = full.reduce((sum, line) => sum + widthOf(line), 0)
  return width >= PROSE_LENGTH && full.length > (lines.length - 1) / 2
}

function isWide(line: Line): boolean {
  const text = line.pieces.map(({ text }) => text).join('')
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return widthOf(line) >= PROSE_WIDTH && letters > text.length / 2
}

function widthOf({ start, end, size }: Line): number {
  return (end - start) / size
}

function isFullIn(lines: readonly Line[]): (line: Line) => boolean {
  const left = lines.reduce((least, { start }) => Math.min(least, start), Infinity)
  const width = lines.reduce((most, { end }) => Math.max(most, end), -Infinity) - left
  return ({ end }) => end - left >= FULL * width
}

function paragraphsOf(lines: readonly Line[]): string[] {
  const isFull = isFullIn(lines)
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    paragraphs.at(-1)!.push(...textOf(line))
    if (!isFull(line)) paragraphs.push([])
  }
  return paragraphs.map(texts => texts.join(' ')).filter(Boolean)
}

/** Joins those on one baseline, and sorts them from the top down. */
function sharedLines(lines: readonly Line[]): Line[] {
  const shared: Line[] = []
  for (const line of lines.toSorted((one, other) => other.baseline - one.baseline)) {
    const above = shared.at(-1)
    if (above && isOn(above, line)) for (const piece of line.pieces) add(above, piece)
    else shared.push({ ...line, pieces: [...line.pieces] })
  }
  return shared
}

function textOf(line: Line): string[] {
  const cells = cellsOf(line).flatMap(cell => visible(written(cell)) || [])
  return cells.length > 1 ? [rowText(cells)] : cells
}

/** A line's text, parted where a column ends. */
function cellsOf(line: Line): string[] {
  const cells: string[] = []
  let last: Piece | undefined
  for (const piece of withoutShadows(inOrder(line.pieces))) {
    const text = scripted(piece, line)
    if (last === undefined || isNextCell(last, piece)) cells.push(text)
    else cells[cells.length - 1] += `${isNextWord(last, piece) ? ' ' : ''}${text}`
    last = piece
  }
  return cells
}

function scripted({ text, size, baseline }: Piece, line: Line): string {
  if (!isSmaller(size, line.size)) return text
  const rise = (baseline - line.baseline) / line.size
  const [begin = '', end = ''] = rise > 0.15 ? MARK.sup : rise < -0.08 ? MARK.sub : []
  return `${begin}${text}${end}`
}

function isNextCell(last: Piece, piece: Piece): boolean {
  const gap = gapBetween(last, piece)
  if (gap >= COLUMN_GAP) return !BEFORE_TEXT.test(last.text)
  const isOver = gap < -OVERLAP && Math.abs(piece.baseline - last.baseline) < 0.1 * piece.size
  return isOver && /\d/.test(last.text) && /\d/.test(piece.text)
}

function isNextWord(last: Piece, piece: Piece): boolean {
  return piece.isSpaced || gapBetween(last, piece) >= WORD_GAP
}

function inOrder(pieces: readonly Piece[]): Piece[] {
  const isRightToLeft = pieces.filter(piece => piece.isRightToLeft).length > pieces.length / 2
  return pieces.toSorted((one, other) => (isRightToLeft ? other.end - one.end : one.start - other.start))
}

/** In sizes of the text; below 0 if one stands over the other. */
function gapBetween(last: Piece, piece: Piece): number {
  const gap = Math.max(piece.start - last.end, last.start - piece.end)
  return gap / Math.max(last.size, piece.size)
}

/** Leaves out text that is drawn again over itself, as a shadow or to look bold. */
function withoutShadows(pieces: readonly Piece[]): Piece[] {
  const kept: Piece[] = []
  for (const piece of pieces) {
    const near = kept.slice(-MAX_SHADOWS)
    if (near.some(other => isShadow(piece, other))) continue
    const shadow = near.find(other => isShadow(other, piece))
    if (shadow) kept.splice(kept.lastIndexOf(shadow), 1, piece)
    else kept.push(piece)
  }
  return kept
}

function isShadow(piece: Piece, other: Piece): boolean {
  const near = 0.3 * other.size
  const isAtEnd = Math.abs(piece.start - other.start) < near || Math.abs(piece.end - other.end) < near
  const shared = Math.min(piece.end, other.end) - Math.max(piece.start, other.start)
  return isAtEnd && shared > 0.6 * (piece.end - piece.start) && other.text.includes(piece.text)
}
