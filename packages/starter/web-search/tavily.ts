import { z } from 'zod'
import { MAX_RESULTS, optionalText, pageOf, SearchEngine, type SearchResult, usableItems } from './engine.ts'

const Hit = z.looseObject({
  title: optionalText,
  url: z.string(),
  content: optionalText,
  raw_content: optionalText,
  published_date: optionalText,
})
const Reply = z.looseObject({ results: usableItems(Hit) })

/**
 * Tavily's search, which includes the text of each page. A basic search costs one credit.
 *
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export class Tavily extends SearchEngine {
  protected override credentials(apiKey: string) {
    return { authorization: `Bearer ${apiKey}` }
  }

  async search(query: string, signal: AbortSignal): Promise<SearchResult[]> {
    const body = { query, search_depth: 'basic', max_results: MAX_RESULTS, include_raw_content: 'markdown' }
    const { results } = await this.ask({ path: '/search', body, schema: Reply }, signal)
    return results.map(({ title, url, content: text, raw_content: markdown, published_date: date }) => {
      const read = async () => pageOf('text/markdown', markdown)
      return { title, url, text, date, ...(markdown !== '' && { read }) }
    })
  }
}
