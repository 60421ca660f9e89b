import { z } from 'zod'
import { ToolError } from '../tool.ts'
import { createEndpoint, type EndpointSettings } from './endpoint.ts'
import { fetchJson, listOf, optionalText } from './fetch-json.ts'
import type { SearchProvider } from './search-provider.ts'

const Hit = z.looseObject({
  title: optionalText,
  url: z.string(),
  content: optionalText,
  publishedDate: optionalText,
})
const Reply = z.looseObject({
  results: listOf(Hit),
  // Some servers omit it.
  unresponsive_engines: listOf(z.tuple([z.string()], z.unknown())).catch([]),
})

/**
 * The JSON API of a SearXNG (or searx) server. `search.formats` in its settings must list `json`. It has no parameter for
 * the number of results and returns about twenty.
 *
 * @see https://docs.searxng.org/dev/search_api.html
 */
export function createSearxng(settings: EndpointSettings): SearchProvider {
  const endpoint = createEndpoint(settings)
  return {
    host: endpoint.host,
    isOperators: true,
    scope: 'the web',
    async search(query, signal) {
      const address = endpoint.address('/search', { q: query, format: 'json' })
      const reply = await fetchJson({ endpoint, address, schema: Reply, statusHints }, signal)
      if (reply.results.length === 0 && reply.unresponsive_engines.length > 0)
        throw new ToolError(await silence(endpoint.host, reply.unresponsive_engines))
      return reply.results.map(({ title, url, content, publishedDate: date }) => {
        return { title, url, text: content, date }
      })
    },
  }
}

const statusHints = {
  403: 'refused the request; its settings must list json under search.formats',
}

/** The error for an empty list that only means that the engines behind the server failed. */
async function silence(host: string, engines: readonly [string, ...unknown[]][]): Promise<string> {
  const { plainText } = await import('./plain-text.ts')
  const names = engines.slice(0, 5).map(([name]) => plainText(name, 40))
  return `${host} got no answer from its search engines (${names.join(', ')}). Try again later or go on without.`
}
