/** A piece of a page that can be read by itself. */
export interface Passage {
  /** Headings it stands under, the outer first, and a table's caption; '' where there are none. */
  readonly heading: string
  /** Lines; those of a table begin with its header row. */
  readonly text: string
}

/** A page as text. */
export interface PageText {
  readonly title: string
  /** Day on which it was last changed, or published, as the page says: `YYYY-MM-DD`. */
  readonly date: string | undefined
  readonly passages: readonly Passage[]
}

/** A paragraph, a list item, a table: what is not torn apart without need. */
export interface Block {
  readonly heading: string
  readonly text: string
  /** Of a table: `text` is its header row. */
  readonly rows?: readonly string[]
}

/** Length of a passage at which the next one begins, in characters: some 120 tokens of English. */
export const PASSAGE_LENGTH = 500
/** Most of a page that is read, in bytes after decompression; what is beyond is left. */
export const MAX_PAGE_BYTES = 2 * 2 ** 20
/** Most text that is taken from a page, in characters. */
export const MAX_PAGE_TEXT = 200_000

/** Puts short blocks under one heading together, and takes long ones apart, into passages of about the same length. */
export async function toPassages(blocks: readonly Block[]): Promise<Passage[]> {
  const { RecursiveCharacterTextSplitter } = await import('@langchain/textsplitters')
  const splitter = new RecursiveCharacterTextSplitter({
    chunkSize: PASSAGE_LENGTH * 1.5,
    chunkOverlap: 0,
    keepSeparator: true,
    separators: ['\n', '. ', '? ', '! ', '。', '; ', ', ', ' ', ''],
  })
  const passages: Passage[] = []
  let open: { heading: string; text: string } | undefined
  for (const { heading, text, rows } of blocks) {
    if (rows) {
      open = undefined
      for (const part of tableParts(text, rows)) passages.push({ heading, text: part })
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

/** Rows in groups, each below the header row. */
function tableParts(header: string, rows: readonly string[]): string[] {
  const parts: string[] = []
  let part: string[] = []
  for (const row of rows) {
    if (part.length > 0 && part.join('\n').length + row.length > PASSAGE_LENGTH) {
      parts.push([header, ...part].join('\n'))
      part = []
    }
    part.push(row)
  }
  parts.push([header, ...part].join('\n'))
  return parts.map(text => text.trim())
}

/** White space folded, and without what is drawn as nothing but read by a model. */
export function visible(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]|[\u{E0100}-\u{E01EF}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The day in a date as machines write it. */
export function dayOf(text: string | null | undefined): string | undefined {
  const day = /^\s*(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)/.exec(text ?? '')?.[1]
  // The 31st of February would be taken for a day in March.
  return day !== undefined && new Date(day).toISOString().startsWith(day) ? day : undefined
}
