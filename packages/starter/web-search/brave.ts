import { z } from 'zod'
import { MAX_RESULTS, optionalText, SearchEngine, type SearchResult, usableItems } from './engine.ts'

const Hit = z.looseObject({ title: optionalText, url: z.string(), snippets: usableItems(z.string()) })
const Source = z.looseObject({ age: usableItems(z.string()).nullish().catch(null) })
const Reply = z.looseObject({
  grounding: z.looseObject({ generic: usableItems(Hit).nullish() }),
  sources: z.record(z.string(), Source).catch({}),
})

/**
 * Brave's context for language models: passages of pages, selected for the query.
 *
 * @see https://api-dashboard.search.brave.com/documentation/services/llm-context
 */
export class Brave extends SearchEngine {
  protected override credentials(apiKey: string) {
    return { 'x-subscription-token': apiKey }
  }

  async search(query: string, signal: AbortSignal): Promise<SearchResult[]> {
    const parameters = {
      q: query,
      maximum_number_of_urls: String(MAX_RESULTS),
      maximum_number_of_tokens: '8192',
    }
    const request = { path: '/res/v1/llm/context', parameters, schema: Reply }
    const { grounding, sources } = await this.ask(request, signal)
    return (grounding.generic ?? []).map(({ title, url, snippets: passages }) => {
      // The same date three ways: in words, as a day, and as an age.
      const date = sources[url]?.age?.find(age => /^\d{4}-/.test(age))
      return { title, url, text: '', date, passages }
    })
  }
}
