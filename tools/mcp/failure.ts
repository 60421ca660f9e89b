import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'

/** Codes that the SDK uses when no answer came. */
const NO_ANSWER: readonly number[] = [ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]

/** Whether the server answered the request, even if only to refuse it. */
export function isAnswer(error: unknown): error is McpError {
  return error instanceof McpError && !NO_ANSWER.includes(error.code)
}

/** Why a connection failed, in our own words, since a server's message may quote a key. */
export function reasonOf(error: unknown): string {
  if (error instanceof StreamableHTTPError && error.code !== undefined) return `HTTP status ${error.code}`
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return 'no answer in time'
    return error.code === ErrorCode.ConnectionClosed ? 'connection closed' : `MCP error ${error.code}`
  }
  return codeOf(error) ?? (error instanceof Error ? error.name : typeof error)
}

/** The system error code of an error or one of its causes, such as ECONNREFUSED or ENOENT. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : codeOf(error.cause)
}
