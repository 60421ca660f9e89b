/** A page of the web that the suite generates. */
export interface WebPage {
  readonly host: string
  readonly path: string
  readonly title: string
  readonly type: string
  readonly body: Buffer
  /** What a search engine shows. */
  readonly snippet: string
  /** All of its own text, as a search engine indexes it. */
  readonly text: string
  /** Its content without the surrounding frame: HTML. */
  readonly content: string
}

/** A question: `answer` is on a page, and in no snippet. */
export interface Question {
  readonly kind: string
  readonly query: string
  readonly answer: string
}

export interface Web {
  readonly pages: readonly WebPage[]
  readonly questions: readonly Question[]
}

/** Adds a page. */
export type Add = (page: {
  readonly title: string
  /** HTML. */
  readonly content: string
  /** Its texts, one by one. */
  readonly own: readonly string[]
  /** The page's own title, if a search engine shows more. */
  readonly heading?: string
  readonly date?: string
  readonly language?: string
  readonly kind?: 'html' | 'pdf'
}) => void

/** The building blocks of a web. */
export interface Maker {
  /** From the first number to below the second. */
  whole(from: number, to: number): number
  pick<Item>(items: readonly Item[]): Item
  firstName(): string
  person(): string
  word(): string
  /** A sentence and a paragraph about a name that state no fact. */
  sentence(name: string): string
  paragraph(name: string): string
  add: Add
  ask(question: Question): void
}

export function paragraphsOf(texts: readonly string[]): string {
  return texts.map(text => `<p>${text}</p>`).join('\n')
}
