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

/**
 * One search engine. `url` is its base URL. A path prefix is kept (`https://host/searxng`); credentials
 * (`https://user:password@host`) are sent by HTTP Basic authentication.
 */
export type EngineSettings =
  | { readonly provider: 'wikipedia' | 'searxng'; readonly url: string }
  | { readonly provider: 'tavily' | 'brave'; readonly url: string; readonly apiKey: string }
