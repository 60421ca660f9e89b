import type { CallConfig } from './call-config.ts'
import { Brave } from './web-search/brave.ts'
import { userAgent } from './web-search/engine.ts'
import { webProxy } from './web-search/outside.ts'
import { Searxng } from './web-search/searxng.ts'
import type { SearchSettings } from './web-search/settings.ts'
import { Tavily } from './web-search/tavily.ts'
import { Wikipedia } from './web-search/wikipedia.ts'

/** The shortest limit of the four engines, in characters: Wikipedia takes 300, Brave and Tavily 400. */
export const MAX_QUERY = 300
const DEFAULT_TIME_LIMIT_MS = 10_000
const DEFAULT_MAX_TOKENS = 1_000

const ENGINES = { wikipedia: Wikipedia, searxng: Searxng, tavily: Tavily, brave: Brave }

/**
 * Prepares searching with the configured engines.
 *
 * @returns `scope`, what is searched, and `search`. That returns passages of the pages found, at most `maxTokens` of text
 *   marked as untrusted, and the sources as its artifact; if nothing is found, the text says so. With
 *   `requestedPage`, it reads one page in place of searching. It rejects within the time limit with a `ToolError` if every
 *   engine fails, and with the signal's reason (as an `Error`) if that aborts.
 */
export function createSearch(settings: SearchSettings) {
  const { contact, maxTokens = DEFAULT_MAX_TOKENS, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = settings
  const { ports = [80, 443], privateHosts = [] } = settings
  const proxy = settings.proxy === undefined ? undefined : webProxy(settings.proxy, privateHosts)
  const engines = settings.engines.map(engine => new ENGINES[engine.provider](engine, proxy, contact))
  const scopes = new Set(engines.map(engine => engine.scope))
  const scope = scopes.size === 1 ? [...scopes][0] : 'the web'
  const rules = { ports, privateHosts, proxy, userAgent: userAgent(contact) }
  const parts = { engines, rules, maxTokens, timeLimitMs }
  return {
    scope,
    async search(query: string, requestedPage: string | undefined, config: unknown) {
      // The code that reads pages is loaded on the first search.
      const { answerSearch } = await import('./web-search/search.ts')
      return await answerSearch(
        parts,
        query.replace(/[\p{Cc}\s]+/gu, ' '),
        requestedPage,
        config as CallConfig,
      )
    },
  }
}
