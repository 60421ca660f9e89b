import manifest from '../../package.json' with { type: 'json' }
import type { WebProxy } from './proxy.ts'

export interface EndpointSettings {
  readonly url: string
  readonly proxy?: WebProxy | undefined
  /** The operator's, for the User-Agent. */
  readonly contact?: string | undefined
}

/** A search engine's base URL, with the headers of every request to it. */
export interface Endpoint {
  readonly proxy: WebProxy | undefined
  /** Host and port. */
  readonly host: string
  /** Includes keys; never show them. */
  readonly headers: Readonly<Record<string, string>>
  /** A URL below the base URL. */
  address(path: string, parameters?: Record<string, string>): URL
}

/**
 * An engine's endpoint. Its settings were checked when they were read: an http or https URL without credentials, and keys that
 * a header can carry.
 */
export function createEndpoint(
  { url, proxy, contact }: EndpointSettings,
  headers: Readonly<Record<string, string>> = {},
): Endpoint {
  const { host, origin, pathname } = new URL(url)
  const prefix = `${origin}${pathname.replace(/\/+$/, '')}`
  return {
    proxy,
    host,
    headers: { accept: 'application/json', 'user-agent': userAgent(contact), ...headers },
    address(path, parameters) {
      const url = new URL(`${prefix}${path}`)
      url.search = new URLSearchParams(parameters).toString()
      return url
    },
  }
}

/** `<name>/<version> (<contact>) <platform>/<version>`, as Wikimedia's policy requires. */
export function userAgent(contact: string | undefined): string {
  const client = `${manifest.name}/${manifest.version}`
  const platform = `node/${process.versions.node}`
  return contact === undefined ? `${client} ${platform}` : `${client} (${contact}) ${platform}`
}
