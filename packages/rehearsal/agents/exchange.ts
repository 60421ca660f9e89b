import { parseJson } from '../json.ts'

/** Why there is no complete reply. */
export interface Failure {
  readonly kind: 'timeout' | 'refused' | 'dns' | 'no_route' | 'reset' | 'too_large' | 'aborted' | 'other'
  /** One clause without a full stop: `no reply within 5 s`. */
  readonly message: string
}

/** One request to an agent and its outcome, as seen from outside. */
export interface Exchange {
  /** Null if no reply began. */
  readonly status: number | null
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The part that arrived, read as UTF-8. */
  readonly body: string
  /** The body's JSON; undefined if it is not JSON, or incomplete. */
  readonly json: unknown
  /** From the call to the last byte, in milliseconds by the monotonic clock. */
  readonly wallMs: number
  readonly failure: Failure | null
}

/** JSON in UTF-8, at most 1,000 levels deep, a byte order mark allowed; `undefined` for anything else. */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Whether nothing accepted the connection: then the agent has neither kept nor broken anything. */
export function meansUnreachable({ kind }: Failure): boolean {
  return ['refused', 'dns', 'no_route'].includes(kind)
}

const NO_ROUTE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'UND_ERR_CONNECT_TIMEOUT'])
const CUT_OFF = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

/** Describes an error of `fetch` or of reading its body in our own words: the original may quote a header. */
export function failureOf(error: unknown): Failure {
  const { code, name, message } = innermost(error)
  if (code === 'ECONNREFUSED') return { kind: 'refused', message: 'the connection was refused' }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { kind: 'dns', message: 'the host name was not found' }
  }
  if (code !== undefined && NO_ROUTE.has(code)) {
    return { kind: 'no_route', message: `the host cannot be reached (${code})` }
  }
  const isCutOff = name === 'HTTPParserError' && message.includes('EOF')
  if (isCutOff || (code !== undefined && CUT_OFF.has(code))) {
    return { kind: 'reset', message: 'the connection closed before the reply was complete' }
  }
  if (name === 'HTTPParserError') return { kind: 'other', message: 'the reply is not HTTP/1.1' }
  if (message === 'bad port') {
    return { kind: 'refused', message: 'fetch refuses this port: it belongs to another protocol' }
  }
  return { kind: 'other', message: `the exchange failed (${code ?? name})` }
}

/** `fetch` wraps what happened in a bare TypeError. */
function innermost(error: unknown): { code?: string | undefined; name: string; message: string } {
  if (!(error instanceof Error)) return { name: typeof error, message: '' }
  if (error.cause instanceof Error) return innermost(error.cause)
  const { code } = error as { code?: unknown }
  return { code: typeof code === 'string' ? code : undefined, name: error.name, message: error.message }
}
