import { z } from 'zod'
import { createEndpoint } from './endpoint.ts'
import { fetchJson } from './fetch-json.ts'
import { listOf, optionalText } from './reply-schema.ts'
import { MAX_RESULTS, type SearchProvider } from './search-provider.ts'

const Hit = z.looseObject({ title: optionalText, url: z.string(), description: optionalText })
const Reply = z
  .looseObject({ type: z.unknown().optional(), web: z.looseObject({ results: listOf(Hit) }).nullish() })
  // A reply without results has no `web`; its type tells it from some other JSON.
  .refine(({ type, web }) => web || type === 'search')

/**
 * Brave's web search.
 *
 * @see https://api-dashboard.search.brave.com/api-reference/web/search/get
 */
export function createBrave(settings: { url: string; apiKey: string }): SearchProvider {
  const endpoint = createEndpoint(settings.url, { 'x-subscription-token': settings.apiKey })
  return {
    host: endpoint.host,
    scope: 'the web',
    async search(query, signal) {
      const parameters = {
        q: query,
        count: String(MAX_RESULTS),
        result_filter: 'web',
        text_decorations: 'false',
      }
      const address = endpoint.address('/res/v1/web/search', parameters)
      const { web } = await fetchJson({ endpoint, address, schema: Reply, statusHints }, signal)
      return (web?.results ?? []).map(({ title, url, description }) => ({ title, url, text: description }))
    },
  }
}

const statusHints = {
  422: 'did not accept the search or its key; the key must be checked by whoever runs this service',
}
