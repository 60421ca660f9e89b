import type { PageContent } from './fetch-page.ts'

/** One hit as the provider sent it, not yet cleaned or cut. */
export interface SearchResult {
  /** May hold HTML tags and entities. */
  readonly title: string
  readonly url: string
  /** May hold HTML tags and entities. */
  readonly text: string
  /** The page's date: `YYYY-MM-DD`, with or without a time. */
  readonly date?: string | undefined
  /** Passages of the page, selected by the engine, so that the page need not be fetched. */
  readonly passages?: readonly string[]
  /** Reads the page's text through the engine; absent: fetch the page from its URL. */
  read?(signal: AbortSignal): Promise<PageContent>
}

/** A search engine behind one address. */
export interface SearchProvider {
  /** Host and port without credentials; safe to show the model. */
  readonly host: string
  /** Whether it is the operator's own wherever it is, and so may name pages of private hosts. */
  readonly isOperators: boolean
  /** Completes "Searches …" in the tool's description. */
  readonly scope: string
  /**
   * Returns the best results first, or an empty list. Results beyond the fifth address are ignored.
   *
   * @param query one line, not empty, at most 300 characters
   * @param signal ends the search at once and closes its socket; the provider sets no time limit of its own
   * @throws {ToolError} if the engine fails; the message contains no secret and no text from the engine's reply
   */
  search(query: string, signal: AbortSignal): Promise<SearchResult[]>
}

/** Maximum number of results requested and shown. */
export const MAX_RESULTS = 5
