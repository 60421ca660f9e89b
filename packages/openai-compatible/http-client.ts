import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { responseOf } from '@agent-task-service/wire/response-of'

/**
 * Connections stay open for later calls, until shortly before the server closes them, if it says when. Node reads that only if
 * there is a `timeout`, and a call that is sent just then would fail.
 */
const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY, timeout: 2 ** 31 - 1 }
/** How long a proxy may take to open a tunnel, which no signal ends, and a connection through it stay idle, in milliseconds. */
const TUNNEL_MS = 10_000
let clients = clientsWith(undefined)

/** Proxies by the names of their variables; Node reads `NO_PROXY`. */
type ProxyVariables = http.AgentOptions['proxyEnv']

function clientsWith(proxyEnv: ProxyVariables) {
  const options = { ...KEEP_ALIVE, ...(proxyEnv && { proxyEnv, timeout: TUNNEL_MS }) }
  return {
    plain: { request: http.request, agent: new http.Agent(options) },
    secure: { request: https.request, agent: new https.Agent(options) },
  }
}

/** Sends what follows through these proxies; `undefined`: through none. */
export function setProxies(proxyEnv: ProxyVariables): void {
  clients = clientsWith(proxyEnv)
}

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress }

/**
 * Posts with Node's own client, which takes half of the CPU time of `fetch`. Follows no redirects.
 *
 * @returns the head of the reply
 */
export async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const { request, agent } = url.startsWith('https:') ? clients.secure : clients.plain
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: {
      'accept-encoding': Object.keys(decoders).join(', '),
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
    ...(signal && { signal }),
  })
  return await responseOf(sent, body)
}

/** The body, decompressed. */
export function bodyOf(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding'] ?? ''
  const decode = decoders[encoding as keyof typeof decoders]
  return decode ? pipeline(response, decode(), () => {}) : response
}
