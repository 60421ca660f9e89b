import { z } from 'zod'
import { ToolError } from '../tool.ts'
import { createEndpoint, type EndpointSettings } from './endpoint.ts'
import { fetchJson } from './fetch-json.ts'
import { listOf, optionalText } from './reply-schema.ts'
import type { SearchProvider, SearchResult } from './search-provider.ts'

const Hit = z.looseObject({
  title: optionalText,
  url: z.string(),
  content: optionalText,
  publishedDate: optionalText,
})
// A string until 2024, an object since.
const Answer = z.union([z.string(), z.looseObject({ answer: z.string(), url: z.string().nullish() })])
const Infobox = z.looseObject({ infobox: z.string(), id: z.string().nullish(), content: optionalText })
const Reply = z.looseObject({
  results: listOf(Hit),
  // Some servers omit these; none is worth failing for.
  answers: listOf(Answer).catch([]),
  infoboxes: listOf(Infobox).catch([]),
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
      const results: SearchResult[] = [
        ...reply.answers.slice(0, 1).map(fromAnswer),
        ...reply.infoboxes.slice(0, 1).map(fromInfobox),
      ]
      for (const { title, url, content, publishedDate: date } of reply.results)
        results.push({ title, url, text: content, date })
      if (results.length === 0 && reply.unresponsive_engines.length > 0)
        throw new ToolError(await silence(endpoint.host, reply.unresponsive_engines))
      return results
    },
  }
}

const statusHints = {
  403: 'refused the request; its settings must list json under search.formats',
}

function fromAnswer(answer: z.output<typeof Answer>): SearchResult {
  const { answer: text, url } = typeof answer === 'string' ? { answer, url: null } : answer
  return { title: 'Answer', text, ...(url && { url }) }
}

/** An infobox's `id` is the URL of its source page. */
function fromInfobox({ infobox, id, content }: z.output<typeof Infobox>): SearchResult {
  return { title: infobox, text: content, ...(id && { url: id }) }
}

/** The error for an empty list that only means that the engines behind the server failed. */
async function silence(host: string, engines: readonly [string, ...unknown[]][]): Promise<string> {
  const { plainText } = await import('./plain-text.ts')
  const names = engines.slice(0, 5).map(([name]) => plainText(name, 40))
  return `${host} got no answer from its search engines (${names.join(', ')}). Try again later or go on without.`
}
