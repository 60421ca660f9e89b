import { z } from 'zod'
import { createEndpoint, type EndpointSettings } from './endpoint.ts'
import { fetchJson, listOf, optionalText } from './fetch-json.ts'
import { MAX_RESULTS, type SearchProvider } from './search-provider.ts'

const Reply = z.looseObject({
  results: listOf(
    z.looseObject({
      title: optionalText,
      url: z.string(),
      content: optionalText,
      raw_content: optionalText,
      published_date: optionalText,
    }),
  ),
})

/**
 * Tavily's search, which includes the text of each page. A basic search costs one credit.
 *
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
export function createTavily(settings: EndpointSettings & { apiKey: string }): SearchProvider {
  const endpoint = createEndpoint(settings, { authorization: `Bearer ${settings.apiKey}` })
  return {
    host: endpoint.host,
    isOperators: false,
    scope: 'the web',
    async search(query, signal) {
      const address = endpoint.address('/search')
      const body = { query, search_depth: 'basic', max_results: MAX_RESULTS, include_raw_content: 'markdown' }
      const { results } = await fetchJson({ endpoint, address, body, schema: Reply }, signal)
      return results.map(({ title, url, content, raw_content: markdown, published_date: date }) => {
        const read = async () => ({
          type: 'text/markdown',
          charset: 'utf-8',
          bytes: new TextEncoder().encode(markdown),
        })
        return { title, url, text: content, date, ...(markdown !== '' && { read }) }
      })
    },
  }
}
