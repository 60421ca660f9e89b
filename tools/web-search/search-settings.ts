/** Which search engines, and what holds for reading the pages they find. */
export interface SearchSettings {
  /** In the order in which they are asked: the next one where one fails. */
  readonly engines: readonly EngineSettings[]
  /** Address or e-mail of whoever runs this service, for the User-Agent. */
  readonly contact?: string | undefined
  /** Most tokens of one result; 1,500 when absent. */
  readonly maxTokens?: number | undefined
  /** Ports that pages may be read from; 80 and 443 when absent. */
  readonly ports?: readonly number[] | undefined
  /** Names of hosts whose pages may be read although their addresses are private. */
  readonly privateHosts?: readonly string[] | undefined
  /** How long one search may take in all, in milliseconds; 10,000 when absent. */
  readonly timeLimitMs?: number | undefined
}

/**
 * One search engine. `url` is its base address: a path prefix is kept (`https://host/searxng`), credentials in it
 * (`https://user:password@host`) are sent as HTTP Basic.
 */
export type EngineSettings =
  | { readonly provider: 'wikipedia' | 'searxng'; readonly url: string }
  | { readonly provider: 'tavily' | 'brave'; readonly url: string; readonly apiKey: string }
