import { ToolError } from '@agent-task-service/engine/tool'
import { z } from 'zod'
import { MAX_RESULTS, optionalText, pageOf, SearchEngine, type SearchResult, usableItems } from './engine.ts'

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
    query: z.looseObject({ pages: usableItems(Page) }).optional(),
    // All that is there if nothing was found.
    batchcomplete: z.boolean().optional(),
  })
  .refine(({ error, query, batchcomplete }) => error ?? query ?? batchcomplete)

const Parsed = z.looseObject({ parse: z.looseObject({ text: z.string() }) })

const API = '/w/api.php'
const COMMON = { format: 'json', formatversion: '2' }
const FOUND = {
  ...COMMON,
  action: 'query',
  generator: 'search',
  gsrlimit: String(MAX_RESULTS),
  prop: 'extracts|info',
  exintro: '1',
  explaintext: '1',
  exchars: String(LEAD_CHARACTERS),
  exlimit: 'max',
  inprop: 'url',
}
const ARTICLE = {
  ...COMMON,
  action: 'parse',
  prop: 'text',
  redirects: '1',
  disableeditsection: '1',
  disabletoc: '1',
}

/**
 * MediaWiki's full-text search, with each page's lead and URL. A wiki without the TextExtracts extension omits the leads. A
 * page is read as its article's HTML, with sections, tables and infobox.
 *
 * @see https://www.mediawiki.org/wiki/API:Search
 * @see https://www.mediawiki.org/wiki/API:Parsing_wikitext
 * @see https://www.mediawiki.org/wiki/Extension:TextExtracts#API
 * @see https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
 */
export class Wikipedia extends SearchEngine {
  override readonly scope = 'Wikipedia (encyclopedia articles only, not the whole web)'
  protected override readonly refusal =
    'refused the request; Wikimedia does so when the User-Agent names no contact, so one must be configured'

  async search(query: string, signal: AbortSignal): Promise<SearchResult[]> {
    const parameters = { ...FOUND, gsrsearch: query }
    const { error, query: found } = await this.ask({ path: API, parameters, schema: Reply }, signal)
    if (error !== undefined) {
      // A code of words and hyphens can carry no instruction.
      const code = /^[a-z0-9-]{1,60}$/.test(error.code) ? ` (error code ${error.code})` : ''
      throw new ToolError(`${this.host} could not search${code}.`)
    }
    const pages = (found?.pages ?? []).toSorted((one, other) => one.index - other.index)
    return pages.map(({ title, fullurl: url, extract: text }) => {
      const read = async (reading: AbortSignal) => {
        const parameters = { ...ARTICLE, page: title }
        const { parse } = await this.ask({ path: API, parameters, schema: Parsed }, reading)
        return pageOf('text/html', parse.text)
      }
      return { title, url, text, read }
    })
  }
}
