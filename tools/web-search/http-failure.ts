import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ToolError } from '../tool.ts'

/** A sentence for a status, to follow "<host> …", e.g. `{ 432: 'has used up its plan' }`. */
export type StatusHints = Readonly<Record<number, string>>

/** The error for a status other than 200. Uses only the status and two headers, never the body. */
export function httpFailure(
  { statusCode: status = 0, headers }: IncomingMessage,
  address: URL,
  hints: StatusHints,
): ToolError {
  const what = hints[status] ?? explanation(status, headers, address)
  return new ToolError(`${address.host} ${what} (HTTP ${status}).`)
}

function explanation(status: number, headers: IncomingHttpHeaders, address: URL): string {
  if (status >= 300 && status < 400)
    return `redirects${target(headers, address)}, which web_search does not follow`
  if (status === 401 || status === 403)
    return 'refused access; its key or permission must be checked by whoever runs this service'
  if (status === 429) return `is limiting requests; ${wait(headers)}`
  if (status >= 500) return `failed; ${wait(headers)}`
  return 'did not accept the search'
}

/** Names only the origin, which is what the configured address must change to. */
function target({ location }: IncomingHttpHeaders, from: URL): string {
  const origin = location === undefined ? undefined : URL.parse(location, from.href)?.origin
  return origin?.startsWith('http') ? ` to ${origin}` : ''
}

/** `Retry-After` holds seconds or a date. See https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function wait(headers: IncomingHttpHeaders): string {
  const value = headers['retry-after']?.trim() ?? ''
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000)
  return seconds > 0 ? `do not search again within ${seconds} s` : 'try again later or go on without'
}
