/**
 * Which search engine, and how to reach it. `url` is the engine's base address: a path prefix is kept
 * (`https://host/searxng`), credentials in it (`https://user:password@host`) are sent as HTTP Basic.
 */
export type SearchSettings = EngineSettings & {
  /** How long one search may take in all, in milliseconds; 10,000 when absent. */
  readonly timeLimitMs?: number
}

type EngineSettings =
  | {
      readonly provider: 'wikipedia'
      readonly url: string
      /** Address or e-mail of whoever runs this service; Wikimedia asks for it in the User-Agent. */
      readonly contact?: string
    }
  | { readonly provider: 'searxng'; readonly url: string }
  | { readonly provider: 'tavily'; readonly url: string; readonly apiKey: string }
  | { readonly provider: 'brave'; readonly url: string; readonly apiKey: string }
