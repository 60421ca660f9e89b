import type { PageContent } from './fetch-page.ts'

/** One hit, as the provider sent it: nothing here is cleaned or cut yet. */
export interface SearchResult {
  /** May hold HTML tags and entities. */
  readonly title: string
  /** Where the text comes from. Absent for an answer the engine worked out itself (a sum, a conversion). */
  readonly url?: string
  /** May hold HTML tags and entities. */
  readonly text: string
  /** Of the page, as far as it is a day: `YYYY-MM-DD`, with or without a time. */
  readonly date?: string | undefined
  /** Passages of the page itself, chosen by the engine: the page need not be fetched. */
  readonly passages?: readonly string[]
  /** The engine's own way to the page's text; absent: the page is fetched from its address. */
  read?(signal: AbortSignal): Promise<PageContent>
}

/** The port: one search engine behind one address. */
export interface SearchProvider {
  /** Host and port, safe to name to the model: holds no credentials. */
  readonly host: string
  /** What is searched, to complete "Searches …" in the tool's description. */
  readonly scope: string
  /**
   * Best results first; those beyond the fifth address are ignored, none is an empty list.
   *
   * @param query one line, not empty, at most 300 characters
   * @param signal ends the search at once, closing its socket; the provider sets no time limit of its own
   * @throws {ToolError} when the engine fails; the message holds no secret and no text from the engine's reply
   */
  search(query: string, signal: AbortSignal): Promise<SearchResult[]>
}

/** How many results are asked for, and at most shown. */
export const MAX_RESULTS = 5
