import { z } from 'zod'
import { ToolError } from '../tool.ts'
import { createEndpoint, type EndpointSettings } from './endpoint.ts'
import { fetchJson, listOf, optionalText } from './fetch-json.ts'
import { MAX_RESULTS, type SearchProvider } from './search-provider.ts'

/** Long enough for a lead paragraph, short enough for five of them with their passages to fit the result. */
const LEAD_CHARACTERS = 450

const Page = z.looseObject({
  title: z.string(),
  index: z.number(),
  extract: optionalText,
  fullurl: z.string(),
})
const Reply = z
  .looseObject({
    // The API reports its own errors with status 200.
    error: z.looseObject({ code: z.string() }).optional(),
    query: z.looseObject({ pages: listOf(Page) }).optional(),
    // All that is there if nothing was found.
    batchcomplete: z.boolean().optional(),
  })
  .refine(({ error, query, batchcomplete }) => error ?? query ?? batchcomplete)

const Parsed = z.looseObject({ parse: z.looseObject({ text: z.string() }) })

/**
 * MediaWiki's full-text search, with each page's lead and URL. A wiki without the TextExtracts extension omits the leads. A
 * page is read as its article's HTML, with sections, tables and infobox.
 *
 * @see https://www.mediawiki.org/wiki/API:Search
 * @see https://www.mediawiki.org/wiki/API:Parsing_wikitext
 * @see https://www.mediawiki.org/wiki/Extension:TextExtracts#API
 * @see https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
 */
export function createWikipedia(settings: EndpointSettings): SearchProvider {
  const endpoint = createEndpoint(settings)
  return {
    host: endpoint.host,
    isOperators: false,
    scope: 'Wikipedia (encyclopedia articles only, not the whole web)',
    async search(query, signal) {
      const address = endpoint.address('/w/api.php', parameters(query))
      const { error, query: found } = await fetchJson(
        { endpoint, address, schema: Reply, statusHints },
        signal,
      )
      if (error !== undefined) throw new ToolError(`${endpoint.host} could not search${named(error.code)}.`)
      const pages = (found?.pages ?? []).toSorted((one, other) => one.index - other.index)
      return pages.map(({ title, fullurl: url, extract: text }) => {
        const read = async (reading: AbortSignal) => {
          const address = endpoint.address('/w/api.php', { ...ARTICLE, page: title })
          const { parse } = await fetchJson({ endpoint, address, schema: Parsed, statusHints }, reading)
          return { type: 'text/html', charset: 'utf-8', bytes: new TextEncoder().encode(parse.text) }
        }
        return { title, url, text, read }
      })
    },
  }
}

const ARTICLE = {
  action: 'parse',
  format: 'json',
  formatversion: '2',
  prop: 'text',
  redirects: '1',
  disableeditsection: '1',
  disabletoc: '1',
}

function parameters(query: string): Record<string, string> {
  return {
    action: 'query',
    format: 'json',
    formatversion: '2',
    generator: 'search',
    gsrsearch: query,
    gsrlimit: String(MAX_RESULTS),
    prop: 'extracts|info',
    exintro: '1',
    explaintext: '1',
    exchars: String(LEAD_CHARACTERS),
    exlimit: 'max',
    inprop: 'url',
  }
}

const statusHints = {
  403: 'refused the request; Wikimedia does so when the User-Agent names no contact, so one must be configured',
}

/** Quotes an error code only if it is made of words and hyphens. */
function named(code: string): string {
  return /^[a-z0-9-]{1,60}$/.test(code) ? ` (error code ${code})` : ''
}
