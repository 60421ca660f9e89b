import { ToolError } from '@agent-task-service/engine/tool'
import { z } from 'zod'
import { optionalText, SearchEngine, type SearchResult, usableItems } from './engine.ts'

const Hit = z.looseObject({
  title: optionalText,
  url: z.string(),
  content: optionalText,
  publishedDate: optionalText,
})
const Reply = z.looseObject({
  results: usableItems(Hit),
  // Some servers omit it.
  unresponsive_engines: usableItems(z.tuple([z.string()], z.unknown())).catch([]),
})

/**
 * The JSON API of a SearXNG (or searx) server. `search.formats` in its settings must list `json`. It has no parameter for
 * the number of results and returns about twenty.
 *
 * @see https://docs.searxng.org/dev/search_api.html
 */
export class Searxng extends SearchEngine {
  override readonly isOperators = true
  protected override readonly refusal =
    'refused the request; its settings must list json under search.formats'

  async search(query: string, signal: AbortSignal): Promise<SearchResult[]> {
    const request = { path: '/search', parameters: { q: query, format: 'json' }, schema: Reply }
    const { results, unresponsive_engines: silent } = await this.ask(request, signal)
    if (results.length === 0 && silent.length > 0) {
      // Nothing was found only because the engines behind the server failed.
      const { plainLine } = await import('./plain-text.ts')
      const names = silent.slice(0, 5).map(([name]) => plainLine(name, 40))
      throw new ToolError(
        `${this.host} got no answer from its search engines (${names.join(', ')}). Try again later or go on without.`,
      )
    }
    return results.map(({ title, url, content: text, publishedDate: date }) => ({ title, url, text, date }))
  }
}
