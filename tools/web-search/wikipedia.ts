import { z } from 'zod'
import { ToolError } from '../tool.ts'
import { createEndpoint, type EndpointSettings, userAgent } from './endpoint.ts'
import { fetchJson } from './fetch-json.ts'
import type { plainText } from './plain-text.ts'
import { listOf, optionalText } from './reply-schema.ts'
import { MAX_RESULTS, type SearchProvider, type SearchResult } from './search-provider.ts'

/** Long enough for a lead paragraph, short enough for five of them with their passages to fit the result. */
const LEAD_CHARACTERS = 450

const Hit = z.looseObject({ title: z.string(), snippet: optionalText })
const Page = z.looseObject({
  title: z.string(),
  index: z.number().nullish(),
  extract: optionalText,
  fullurl: z.string().nullish(),
})
const Reply = z
  .looseObject({
    // The API reports its own errors with status 200.
    error: z.looseObject({ code: z.string() }).optional(),
    query: z.looseObject({ search: listOf(Hit).optional(), pages: listOf(Page).optional() }).optional(),
  })
  .refine(({ error, query }) => error ?? query?.search ?? query?.pages)

const Parsed = z.looseObject({ parse: z.looseObject({ text: z.string() }) })

/**
 * MediaWiki's full-text search. One request gets the matching passages (`list=search`) and, with the same search as a
 * generator, each page's lead and URL, since the passages are only about 150 characters long. A wiki without the
 * TextExtracts extension omits the leads. A page is read as its article's HTML, with sections, tables and infobox.
 *
 * @see https://www.mediawiki.org/wiki/API:Search
 * @see https://www.mediawiki.org/wiki/API:Parsing_wikitext
 * @see https://www.mediawiki.org/wiki/Extension:TextExtracts#API
 * @see https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
 */
export function createWikipedia(
  settings: EndpointSettings & { contact?: string | undefined },
): SearchProvider {
  const endpoint = createEndpoint(settings, { 'user-agent': userAgent(settings.contact) })
  return {
    host: endpoint.host,
    isOperators: false,
    scope: 'Wikipedia (encyclopedia articles only, not the whole web)',
    async search(query, signal) {
      const request = { endpoint, address: endpoint.address('/w/api.php', parameters(query)), schema: Reply }
      const { error, query: found } = await fetchJson({ ...request, statusHints }, signal)
      if (error !== undefined) throw new ToolError(`${endpoint.host} could not search${named(error.code)}.`)
      const pages = (found?.pages ?? []).toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0))
      const hits = found?.search ?? pages.map(({ title }) => ({ title, snippet: '' }))
      // It knows all of HTML's entities, and so comes with the first search.
      const { plainText } = await import('./plain-text.ts')
      return hits.map(({ title, snippet }): SearchResult => {
        const page = pages.find(candidate => candidate.title === title)
        const url =
          page?.fullurl ?? endpoint.address(`/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`).href
        const read = async (reading: AbortSignal) => {
          const address = endpoint.address('/w/api.php', { ...ARTICLE, page: title })
          const { parse } = await fetchJson({ endpoint, address, schema: Parsed, statusHints }, reading)
          return { type: 'text/html', charset: 'utf-8', bytes: new TextEncoder().encode(parse.text) }
        }
        return { title, url, text: withPassage(page?.extract ?? '', snippet, plainText), read }
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
    list: 'search',
    srsearch: query,
    srlimit: String(MAX_RESULTS),
    srprop: 'snippet',
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

/** The page's lead, followed by the matching passage unless the lead contains it. */
function withPassage(lead: string, passage: string, plain: typeof plainText): string {
  const hasPassage = plain(lead, 2000).includes(plain(passage, 500))
  return hasPassage ? lead : [lead, passage].filter(part => part !== '').join(' … ')
}

/** Quotes an error code only if it is made of words and hyphens. */
function named(code: string): string {
  return /^[a-z0-9-]{1,60}$/.test(code) ? ` (error code ${code})` : ''
}
