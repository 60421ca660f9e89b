import http from 'node:http'
import { setProxies } from '@agent-task-service/openai-compatible/http-client'
import { z } from 'zod'
import type { Proxies, RawVariables } from '../agent/observe.ts'
import { splitList } from './setting.ts'

/** May hold a password, so a bad one is not shown. */
const proxyUrl = z
  .string()
  .refine(
    isProxy,
    'expected http:// or https:// with a host and optional user:password@ (percent-encoded) and :port, got something else (not shown)',
  )

export const proxyVariables = {
  HTTPS_PROXY: proxyUrl
    .optional()
    .describe(
      'Proxy for `https` addresses of models, tracing and MCP servers, `http://[user:password@]host[:port]`; a password is masked. In lower case too, which wins, as for the next two. `web_search` has `SEARCH_PROXY`',
    ),
  HTTP_PROXY: proxyUrl.optional().describe('The same for `http` addresses, those of this machine too'),
  NO_PROXY: z
    .string()
    .transform(withSubdomains)
    .optional()
    .describe(
      'Hosts that are reached without these two, comma-separated: `localhost,127.0.0.1,corp.example`, with all names below a name; `*`: all',
    ),
}

function isProxy(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:\/\//.test(text) || url.pathname !== '/' || url.search || url.hash) return false
  try {
    return [url.username, url.password].every(part => decodeURIComponent(part) !== undefined)
  } catch {
    return false
  }
}

/** As most programs read a name, which to Node is one host. */
function withSubdomains(list: string): string {
  const hosts = splitList(list.replace(/\s+/g, ','))
  return hosts.flatMap(host => (/^[.*]|:/.test(host) ? [host] : [host, `.${host}`])).join(',')
}

/** The proxies that are set; `undefined` if none is. */
export function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Proxies): Proxies | undefined {
  return (HTTPS_PROXY ?? HTTP_PROXY) ? { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } : undefined
}

/** These variables in either case. Lower case wins, as in Node and curl. */
export function proxiesIn(variables: RawVariables): RawVariables {
  const names = Object.keys(proxyVariables)
  return Object.fromEntries(
    names.map(name => [name, variables[name.toLowerCase()]?.trim() || variables[name]]),
  )
}

/** What the URL of a proxy keeps secret: the password, or the only word. */
export function secretsOfProxy(text: string | undefined): string[] {
  if (text === undefined) return []
  const { username, password } = new URL(text)
  if (username === '' && password === '') return []
  const [user = '', secret = ''] = [username, password].map(decodeURIComponent)
  return secret === '' ? [username, user] : [password, secret, `${user}:${secret}`]
}

/**
 * Sends the requests of the process through proxies: those of the chat class for OpenAI-compatible endpoints, and all that use
 * `fetch` or Node's own agents, as other chat classes, LangSmith and MCP do. `web_search` has agents of its own.
 *
 * @returns a function that undoes it
 */
export function useProxies(proxies: Proxies): () => void {
  setProxies(proxies)
  const restore = http.setGlobalProxyFromEnv({ ...proxies })
  return () => {
    setProxies(undefined)
    restore()
  }
}
