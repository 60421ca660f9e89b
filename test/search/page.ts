/** A page of the web that the suite makes for itself. */
export interface WebPage {
  readonly host: string
  readonly path: string
  readonly title: string
  readonly type: string
  readonly body: Buffer
  /** What a search engine shows of it. */
  readonly snippet: string
  /** All of its own text, as a search engine has it in its index. */
  readonly text: string
  /** Its content without what stands round it: HTML. */
  readonly content: string
}

/** Something to find out: `answer` stands inside a page, and in no snippet. */
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
  /** What the page calls itself, where a search engine says more. */
  readonly heading?: string
  readonly date?: string
  readonly language?: string
  readonly kind?: 'html' | 'pdf'
}) => void

export function paragraphsOf(texts: readonly string[]): string {
  return texts.map(text => `<p>${text}</p>`).join('\n')
}
