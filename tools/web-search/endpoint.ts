import manifest from '../../package.json' with { type: 'json' }
import type { WebProxy } from './proxy.ts'

export interface EndpointSettings {
  readonly url: string
  readonly proxy?: WebProxy | undefined
}

/** A search engine's base URL, with the headers of every request to it. */
export interface Endpoint {
  readonly proxy: WebProxy | undefined
  /** Host and port, without credentials. */
  readonly host: string
  /** Includes credentials; never show them. */
  readonly headers: Headers
  /** A URL below the base URL, without credentials. */
  address(path: string, parameters?: Record<string, string>): URL
}

/**
 * Checks a base URL and its headers once, when the service starts. `fetch` would refuse bad ones only at the first
 * search, with a message that quotes the password or the key.
 *
 * @throws {Error} without the offending value in its message
 */
export function createEndpoint(
  { url, proxy }: EndpointSettings,
  extraHeaders: Record<string, string> = {},
): Endpoint {
  const parsed = parseBase(url)
  const headers = new Headers({
    accept: 'application/json',
    'user-agent': userAgent(),
  })
  if (parsed.username !== '' || parsed.password !== '')
    headers.set('authorization', basicCredentials(parsed.username, parsed.password))
  for (const [name, value] of Object.entries(extraHeaders)) setHeader(headers, name, value)
  const prefix = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
  return {
    proxy,
    host: parsed.host,
    headers,
    address(path, parameters) {
      const url = new URL(`${prefix}${path}`)
      url.search = new URLSearchParams(parameters).toString()
      return url
    },
  }
}

/** `<name>/<version> (<contact>) <platform>/<version>`, as Wikimedia's policy requires. */
export function userAgent(contact?: string): string {
  const client = `${manifest.name}/${manifest.version}`
  const platform = `node/${process.versions.node}`
  return contact === undefined ? `${client} ${platform}` : `${client} (${contact}) ${platform}`
}

function parseBase(base: string): URL {
  const parsed = URL.parse(base)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new Error('The address of the search engine is not an http or https URL')
  return parsed
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value)
  } catch {
    throw new Error(`The value for the "${name}" header of the search engine holds characters it must not`)
  }
}

function basicCredentials(username: string, password: string): string {
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

/** Leaves a password with a stray `%` unchanged. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
