import type { ContentfulStatusCode } from 'hono/utils/http-status'

/** HTTP status and public text for every request that never becomes a run. `docs/reference/errors.md` lists each. */
export const edgeErrors = {
  hang_up: { status: 400, text: 'the caller hung up before sending the whole body' },
  not_utf8: { status: 400, text: 'the body is not UTF-8' },
  not_json: { status: 400, text: 'the body is not JSON' },
  not_an_object: { status: 400, text: 'the body is not a JSON object' },
  too_complex: { status: 400, text: 'a setting nests too deep or has too many values' },
  unauthorized: { status: 401, text: 'a valid bearer token is required' },
  not_found: { status: 404, text: 'unknown path; use POST /run or GET /health' },
  method_not_allowed: { status: 405, text: 'this method is not allowed here' },
  body_too_large: { status: 413, text: 'the body is too large' },
  body_too_complex: { status: 413, text: 'the body holds too much' },
  not_json_media_type: {
    status: 415,
    text: 'the body must be sent as application/json, in UTF-8, uncompressed',
  },
  internal: { status: 500, text: 'the agent service failed' },
  full: { status: 503, text: 'the agent is at capacity; retry later' },
  draining: { status: 503, text: 'the agent is shutting down and accepts no new tasks' },
} as const satisfies Record<string, { status: ContentfulStatusCode; text: string }>

export type EdgeErrorCode = keyof typeof edgeErrors

/** A request that never became a run. `message` is public. */
export class EdgeError extends Error {
  override readonly name = 'EdgeError'
  readonly code: EdgeErrorCode
  readonly status: ContentfulStatusCode
  readonly headers: Readonly<Record<string, string>>

  /** @param detail appended to the code's text: what was expected, what it got */
  constructor(code: EdgeErrorCode, detail = '', headers: Readonly<Record<string, string>> = {}) {
    const { status, text } = edgeErrors[code]
    super(detail === '' ? text : `${text}: ${detail}`)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** For a request that finds no room; the next one may. */
export function full(): EdgeError {
  return new EdgeError('full', '', { 'Retry-After': '1' })
}
