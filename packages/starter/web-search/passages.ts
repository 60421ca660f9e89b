import { z } from 'zod'

/** A piece of a page that makes sense on its own. */
const Passage = z.object({
  /** The headings above it, outermost first, and a table's caption; '' if there are none. */
  heading: z.string(),
  /** Its lines; a table's start with the header row. */
  text: z.string(),
  /** The table that it is a part of, by its number on the page, and how many of its lines are rows of names. */
  table: z.object({ number: z.number(), names: z.number() }).optional(),
})
export type Passage = Readonly<z.output<typeof Passage>>

/** A page as text. */
export const PageText = z.object({
  title: z.string(),
  /** The day it was last changed or published, according to the page: `YYYY-MM-DD`. */
  date: z.string().optional(),
  passages: z.array(Passage),
  /** Whether the page goes on after what was read. */
  isCut: z.boolean().optional(),
  /** How many lines of menus and the like are not among the passages. */
  leftOut: z.number().optional(),
  /** Where the page leads on, as an address on it. */
  refresh: z.string().optional(),
  /** Its text, of which there is little, may come from scripts, which are not run. */
  isScripted: z.boolean().optional(),
})
export type PageText = z.output<typeof PageText>

/** A paragraph, list item or table; kept whole if possible. */
export interface Block {
  readonly heading: string
  readonly text: string
  /** A table's rows; `text` is then its header row. */
  readonly rows?: readonly string[]
}

/** Target length of a passage, in characters: about 120 tokens of English. */
const PASSAGE_LENGTH = 500
/** How much of a page is read, in bytes after decompression; the rest is ignored. */
export const MAX_PAGE_BYTES = 2 * 2 ** 20
/** Maximum text taken from a page, in characters. */
export const MAX_PAGE_TEXT = 200_000

/** Merges short blocks under the same heading and splits long ones, into passages of similar length. */
export async function toPassages(blocks: readonly Block[]): Promise<Passage[]> {
  const { RecursiveCharacterTextSplitter } = await import('@langchain/textsplitters')
  const splitter = new RecursiveCharacterTextSplitter({
    chunkSize: PASSAGE_LENGTH * 1.5,
    chunkOverlap: 0,
    keepSeparator: true,
    separators: ['\n', '. ', '? ', '! ', '。', '; ', ', ', ' ', ''],
  })
  const passages: Passage[] = []
  let number = 0
  let open: { heading: string; text: string } | undefined
  for (const { heading, text, rows } of blocks) {
    if (rows) {
      open = undefined
      passages.push(...tableParts({ heading, text, rows }, ++number))
    } else if (text.length > PASSAGE_LENGTH * 1.5) {
      open = undefined
      for (const piece of await splitter.splitText(text))
        passages.push({ heading, text: piece.replace(/^[.?!。;,]\s*/, '') })
    } else if (open?.heading === heading && open.text.length + text.length <= PASSAGE_LENGTH) {
      open.text += `\n${text}`
    } else {
      open = { heading, text }
      passages.push(open)
    }
  }
  return passages
}

/** Groups rows, repeating the header row in each group. */
function tableParts({ heading, text, rows = [] }: Block, number: number): Passage[] {
  const table = { number, names: text === '' ? 0 : text.split('\n').length }
  const parts: string[][] = [[]]
  for (const row of rows) {
    const part = parts.at(-1)!
    if (part.length > 0 && part.join('\n').length + row.length > PASSAGE_LENGTH) parts.push([row])
    else part.push(row)
  }
  return parts.map(part => ({ heading, text: [text, ...part].join('\n').trim(), table }))
}

/**
 * Collapses white space and removes characters that are invisible to people but not to a model. Variation selectors are
 * among them, since each can carry a byte of hidden text; an emoji is the same to a model without its own.
 */
export function visible(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The day in an ISO date. */
export function dayOf(text: string | null | undefined): string | undefined {
  const day = /^\s*(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)/.exec(text ?? '')?.[1]
  // Date would turn 31 February into a day in March.
  return day !== undefined && new Date(day).toISOString().startsWith(day) ? day : undefined
}
