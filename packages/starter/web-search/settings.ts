import {
  expectedOf,
  httpUrl,
  listOf,
  oneOf,
  secret,
  splitList,
  wholeNumber,
} from '@agent-task-service/engine/settings'
import { z } from 'zod'
import type { EngineSettings } from './engine.ts'

export type { EngineSettings }

/** The variables of the environment from which `web_search` takes its settings. */
export const searchVariables = z.object({
  SEARCH_PROVIDER: listOf(oneOf(['wikipedia', 'searxng', 'tavily', 'brave']), 'an engine')
    .default(['wikipedia'])
    .describe(
      'Where `web_search` looks: `wikipedia`, `searxng`, `tavily` or `brave`; in a comma-separated list, each is the fallback for the one before it',
    ),
  SEARCH_MAX_TOKENS: wholeNumber(300, 20_000)
    .default(1000)
    .describe('Maximum number of tokens in one `web_search` result'),
  SEARCH_PORTS: listOf(wholeNumber(1, 65_535), 'a port')
    .default([80, 443])
    .describe('Ports from which pages may be read, comma-separated'),
  SEARCH_PRIVATE_HOSTS: z
    .string()
    .toLowerCase()
    .transform(splitList)
    .default([])
    .describe('Names of hosts whose pages may be read even at private addresses, comma-separated'),
  SEARCH_PROXY: httpUrl
    .optional()
    .describe(
      'An HTTP proxy for `web_search`: it resolves names and so decides what can be read. `SEARCH_PRIVATE_HOSTS` are reached without it',
    ),
  WIKIPEDIA_URL: httpUrl.default('https://en.wikipedia.org').describe('Wikipedia in the language you want'),
  WIKIPEDIA_CONTACT: z
    .string()
    .regex(/^[\x20-\x7e]+$/, { error: expectedOf('an address or e-mail in ASCII') })
    .optional()
    .describe(
      'URL or e-mail address for the User-Agent of `web_search`; Wikimedia may refuse regular users without one',
    ),
  SEARXNG_URL: httpUrl.optional().describe('A SearXNG instance with its JSON format enabled'),
  TAVILY_API_KEY: secret().optional().describe('Key for Tavily'),
  TAVILY_URL: httpUrl.default('https://api.tavily.com').describe("Tavily's API"),
  BRAVE_API_KEY: secret().optional().describe('Key for Brave Search'),
  BRAVE_URL: httpUrl.default('https://api.search.brave.com').describe("Brave Search's API"),
})

/** The search engines, and rules for reading the pages they find. */
export interface SearchSettings {
  /** In the order in which they are tried, each if the one before it fails. */
  readonly engines: readonly EngineSettings[]
  /** URL or e-mail address of the operator, for the User-Agent. */
  readonly contact?: string | undefined
  /** Maximum number of tokens in one result; 1,000 when absent. */
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

export type SearchVariables = z.output<typeof searchVariables>

/** What the chosen engines need. */
export function* searchNeeds(
  env: Readonly<Record<string, string | undefined>>,
): Iterable<readonly [keyof SearchVariables, string]> {
  const why = `SEARCH_PROVIDER is ${env.SEARCH_PROVIDER}`
  const engines = splitList(env.SEARCH_PROVIDER ?? '')
  if (engines.includes('searxng')) yield ['SEARXNG_URL', why]
  if (engines.includes('tavily')) yield ['TAVILY_API_KEY', why]
  if (engines.includes('brave')) yield ['BRAVE_API_KEY', why]
}

/** The settings of `web_search`. */
export function searchSettings(env: SearchVariables): SearchSettings {
  const engines = {
    wikipedia: { provider: 'wikipedia', url: env.WIKIPEDIA_URL },
    searxng: { provider: 'searxng', url: env.SEARXNG_URL ?? '' },
    tavily: { provider: 'tavily', url: env.TAVILY_URL, apiKey: env.TAVILY_API_KEY ?? '' },
    brave: { provider: 'brave', url: env.BRAVE_URL, apiKey: env.BRAVE_API_KEY ?? '' },
  } as const
  return {
    engines: env.SEARCH_PROVIDER.map(name => engines[name]),
    contact: env.WIKIPEDIA_CONTACT,
    maxTokens: env.SEARCH_MAX_TOKENS,
    ports: env.SEARCH_PORTS,
    privateHosts: env.SEARCH_PRIVATE_HOSTS,
    proxy: env.SEARCH_PROXY,
  }
}
