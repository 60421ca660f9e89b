import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { Brave } from './web-search/brave.ts'
import { type EngineSettings, userAgent } from './web-search/engine.ts'
import { webProxy } from './web-search/outside.ts'
import type { CallConfig } from './web-search/run-pages.ts'
import { Searxng } from './web-search/searxng.ts'
import { Tavily } from './web-search/tavily.ts'
import { Wikipedia } from './web-search/wikipedia.ts'

export type { EngineSettings } from './web-search/engine.ts'
export { readerShell as prepareReader, readerState } from './web-search/reader-process.ts'

/** The search engines, and rules for reading the pages they find. */
export interface SearchSettings {
  /** In the order in which they are tried, each if the one before it fails. */
  readonly engines: readonly EngineSettings[]
  /** URL or e-mail address of the operator, for the User-Agent. */
  readonly contact?: string | undefined
  /** Maximum number of tokens in one result; 1,500 when absent. */
  readonly maxTokens?: number | undefined
  /** Ports from which pages may be read; 80 and 443 when absent. */
  readonly ports?: readonly number[] | undefined
  /** Names of hosts whose pages may be read even at private addresses. */
  readonly privateHosts?: readonly string[] | undefined
  /** URL of an HTTP proxy that everything but the private hosts goes through. */
  readonly proxy?: string | undefined
  /** Time limit for a whole search, in milliseconds; 10,000 when absent. */
  readonly timeLimitMs?: number | undefined
}

/** The shortest limit of the four engines: Wikipedia takes 300 characters, Brave and Tavily 400. */
const MAX_QUERY = 300
const DEFAULT_TIME_LIMIT_MS = 10_000
const DEFAULT_MAX_TOKENS = 1_500

const ENGINES = { wikipedia: Wikipedia, searxng: Searxng, tavily: Tavily, brave: Brave }

const schema = z.object({
  query: z
    .string()
    .trim()
    .min(1)
    .max(MAX_QUERY)
    .describe('A few words')
    .meta({ minLength: undefined, maxLength: undefined }),
  read: z.coerce
    .string()
    .optional()
    .describe("Reads one page instead: a result's number, or an address from the task"),
})

/**
 * Creates the `web_search` tool for the configured engines. It returns passages of the pages found, at most `maxTokens` of
 * text marked as untrusted, with the sources as its artifact; if nothing is found, the text says so. It rejects within
 * the time limit with a `ToolError` if every engine fails, and with the signal's reason (as an `Error`) if that aborts.
 *
 * @example
 * const search = createWebSearch({ engines: [{ provider: 'wikipedia', url: 'https://en.wikipedia.org' }] })
 * const text = await search.invoke({ query: 'Mount Everest height' })
 */
export function createWebSearch(settings: SearchSettings) {
  const { contact, maxTokens = DEFAULT_MAX_TOKENS, timeLimitMs = DEFAULT_TIME_LIMIT_MS } = settings
  const { ports = [80, 443], privateHosts = [] } = settings
  const proxy = settings.proxy === undefined ? undefined : webProxy(settings.proxy, privateHosts)
  const engines = settings.engines.map(engine => new ENGINES[engine.provider](engine, proxy, contact))
  const scopes = new Set(engines.map(engine => engine.scope))
  const scope = scopes.size === 1 ? [...scopes][0] : 'the web'
  const rules = { ports, privateHosts, proxy, userAgent: userAgent(contact) }
  const parts = { engines, rules, maxTokens, timeLimitMs }
  return tool(
    async ({ query, read }, config) => {
      // The code that reads pages is loaded on the first search.
      const { answer } = await import('./web-search/search.ts')
      return await answer(parts, query.replace(/[\p{Cc}\s]+/gu, ' '), read, config as CallConfig)
    },
    {
      name: 'web_search',
      description: `Searches ${scope} for numbered passages.`,
      schema,
      responseFormat: 'content_and_artifact',
      metadata: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    },
  )
}
