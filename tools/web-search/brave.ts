import { z } from 'zod'
import { createEndpoint, type EndpointSettings } from './endpoint.ts'
import { fetchJson, listOf, optionalText } from './fetch-json.ts'
import { MAX_RESULTS, type SearchProvider } from './search-provider.ts'

const Hit = z.looseObject({ title: optionalText, url: z.string(), snippets: listOf(z.string()) })
const Source = z.looseObject({ age: listOf(z.string()).nullish().catch(null) })
const Reply = z.looseObject({
  grounding: z.looseObject({ generic: listOf(Hit).nullish() }),
  sources: z.record(z.string(), Source).catch({}),
})

/**
 * Brave's context for language models: passages of pages, selected for the query.
 *
 * @see https://api-dashboard.search.brave.com/documentation/services/llm-context
 */
export function createBrave(settings: EndpointSettings & { apiKey: string }): SearchProvider {
  const endpoint = createEndpoint(settings, { 'x-subscription-token': settings.apiKey })
  return {
    host: endpoint.host,
    isOperators: false,
    scope: 'the web',
    async search(query, signal) {
      const parameters = {
        q: query,
        maximum_number_of_urls: String(MAX_RESULTS),
        maximum_number_of_tokens: '8192',
      }
      const address = endpoint.address('/res/v1/llm/context', parameters)
      const { grounding, sources } = await fetchJson({ endpoint, address, schema: Reply }, signal)
      return (grounding.generic ?? []).map(({ title, url, snippets }) => ({
        title,
        url,
        text: '',
        // The same date three ways: in words, as a day, and as an age.
        date: sources[url]?.age?.find(age => /^\d{4}-/.test(age)),
        passages: snippets,
      }))
    },
  }
}
