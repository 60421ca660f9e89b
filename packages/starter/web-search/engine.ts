import http from 'node:http'
import https from 'node:https'
import { ToolError } from '@agent-task-service/engine/tool'
import { responseOf } from '@agent-task-service/wire/response-of'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { z } from 'zod'
import manifest from '../package.json' with { type: 'json' }
import { type PageContent, readBytes } from './fetch-page.ts'
import type { WebProxy } from './outside.ts'

/** One hit as the engine sent it, not yet cleaned or cut. */
export interface SearchResult {
  /** May hold HTML tags and entities. */
  readonly title: string
  readonly url: string
  /** May hold HTML tags and entities. */
  readonly text: string
  /** The page's date: `YYYY-MM-DD`, with or without a time. */
  readonly date?: string | undefined
  /** Passages of the page, selected by the engine, so that the page need not be fetched. */
  readonly passages?: readonly string[]
  /** Reads the page's text through the engine; absent: fetch the page from its URL. */
  read?(signal: AbortSignal): Promise<PageContent>
}

/** One search engine, as the operator sets it. */
export interface EngineSettings {
  readonly provider: 'wikipedia' | 'searxng' | 'tavily' | 'brave'
  /** Base URL, http or https, without credentials. A path prefix is kept: `https://host/searxng`. */
  readonly url: string
  /** For Tavily and Brave; one that a header can carry. */
  readonly apiKey?: string
}

interface EngineRequest<Reply> {
  /** Below the base URL. */
  readonly path: string
  readonly parameters?: Readonly<Record<string, string>>
  /** Sent as JSON with POST; without it the request is a GET. */
  readonly body?: unknown
  /** The expected shape of the reply. */
  readonly schema: z.ZodType<Reply>
}

/** Not the agents of all, which obey the environment's proxy. */
const AGENT = { keepAlive: true, timeout: 5_000 }
const plain = { client: http, agent: new http.Agent(AGENT) }
const secure = { client: https, agent: new https.Agent(AGENT) }

/** Maximum number of results requested and shown. */
export const MAX_RESULTS = 5
/** Largest reply after decompression, in bytes. Five results take 5 to 100 kB, or up to a few MB with their pages. */
const MAX_REPLY_BYTES = 4 * 2 ** 20

const REFUSED = 'refused access; its key or permission must be checked by whoever runs this service'

/** A search engine behind one address. Its error messages hold only host, status and codes: a reply may repeat the key. */
export abstract class SearchEngine {
  /** Host and port without credentials; safe to show the model. */
  readonly host: string
  /** Completes "Searches …" in the tool's description. */
  readonly scope: string = 'the web'
  /** Whether it is the operator's own wherever it is, and so may name pages of private hosts. */
  readonly isOperators: boolean = false
  /** What HTTP 403 means, to follow the host. */
  protected readonly refusal: string = REFUSED
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #proxy: WebProxy | undefined

  /** @param contact the operator's, for the User-Agent */
  constructor({ url, apiKey = '' }: EngineSettings, proxy?: WebProxy, contact?: string) {
    const { host, origin, pathname } = new URL(url)
    this.host = host
    this.#base = `${origin}${pathname.replace(/\/+$/, '')}`
    this.#headers = {
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      'user-agent': userAgent(contact),
      ...this.credentials(apiKey),
    }
    this.#proxy = proxy
  }

  /**
   * Returns the best results first, or an empty list. Results beyond the fifth address are ignored.
   *
   * @param query one line, not empty, at most 300 characters
   * @param signal ends the search at once and closes its socket; the engine sets no time limit of its own
   * @throws {ToolError} if the engine fails; the message contains no secret and no text from the engine's reply
   */
  abstract search(query: string, signal: AbortSignal): Promise<SearchResult[]>

  /** The headers that carry the key. */
  protected credentials(_apiKey: string): Readonly<Record<string, string>> {
    return {}
  }

  /** @throws {ToolError} for every failure of the engine or the network */
  protected async ask<Reply>(request: EngineRequest<Reply>, signal: AbortSignal): Promise<Reply> {
    const text = await this.#send(request, signal)
    const value = parseJson(text)
    const kind = /^\s*</.test(text) ? 'an HTML page' : 'something'
    if (value === undefined)
      throw new ToolError(
        `${this.host} answered with ${kind} that is not JSON: it may be down or not a search engine.`,
      )
    const parsed = request.schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new ToolError(`${this.host} answered with JSON that is not a search reply.`)
  }

  /** Follows no redirect, which would send the key to whatever host it names. */
  async #send({ path, parameters, body }: EngineRequest<unknown>, signal: AbortSignal): Promise<string> {
    const url = new URL(`${this.#base}${path}`)
    url.search = new URLSearchParams(parameters).toString()
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const { client, agent } = url.protocol === 'https:' ? secure : plain
    const request = client.request(url, {
      ...(sent !== undefined && { method: 'POST' }),
      headers: { ...this.#headers, ...(sent !== undefined && { 'content-type': 'application/json' }) },
      agent: this.#proxy?.(url) ?? agent,
      signal,
    })
    const response = await responseOf(request, sent).catch(error => {
      throw new ToolError(`${this.host} could not be reached${errorCode(error)}.`)
    })
    const { statusCode: status = 0 } = response
    if (status !== 200) {
      response.destroy()
      throw new ToolError(
        `${this.host} ${status === 403 ? this.refusal : meaningOf(status)} (HTTP ${status}).`,
      )
    }
    const { bytes, error } = await readBytes(response, MAX_REPLY_BYTES + 1)
    if (error) throw new ToolError(`${this.host} broke off in the middle of its reply${errorCode(error)}.`)
    if (bytes.length <= MAX_REPLY_BYTES) return new TextDecoder().decode(bytes)
    throw new ToolError(`${this.host} sent more than 4 MB, too much for a search reply.`)
  }
}

/** `<name>/<version> (<contact>) <platform>/<version>`, as Wikimedia's policy requires. */
export function userAgent(contact: string | undefined): string {
  const client = `agent-task-service/${manifest.version}`
  return `${client}${contact === undefined ? '' : ` (${contact})`} node/${process.versions.node}`
}

function meaningOf(status: number): string {
  // Tavily's own.
  if (status === 432 || status === 433) return 'has used up its plan: go on without web search'
  if (status >= 300 && status < 400) return 'redirects, which web_search does not follow'
  if (status === 401) return REFUSED
  if (status === 429) return 'is limiting requests; try again later or go on without'
  return status >= 500 ? 'failed; try again later or go on without' : 'did not accept the search'
}

/** ` (ECONNREFUSED)`, or nothing if the error has no system code. */
function errorCode(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}

/** A list that drops its unusable members, but fails if all of them are. */
export function usableItems<Item>(item: z.ZodType<Item>): z.ZodType<Item[]> {
  return z.array(z.unknown()).transform((members, context) => {
    const usable = members.flatMap(member => {
      const { success, data } = item.safeParse(member)
      return success ? [data] : []
    })
    if (members.length > 0 && usable.length === 0) context.addIssue('no member has the expected shape')
    return usable
  })
}

/** A string that engines omit or send as `null` if they have none. */
export const optionalText = z
  .string()
  .nullish()
  .transform(text => text ?? '')

/** Text that an engine sent of a page. */
export function pageOf(type: string, text: string): PageContent {
  return { type, charset: 'utf-8', bytes: new TextEncoder().encode(text) }
}
