import { EventSourceParserStream } from 'eventsource-parser/stream'

/** What the staging route answered, however it came. */
export interface RunReply {
  readonly httpStatus: number
  /** Whether the platform answers in place of the agent, whose stream broke the contract. */
  readonly isReplaced: boolean
  /** The body as text; of a stream, the response that its last event carries. */
  readonly text: string
}

/**
 * Reads the answer to a run, the events of a stream as they come.
 *
 * @throws {Error} where the connection ends before the answer does
 */
export async function readReply(
  response: Response,
  onEvent: (type: string, data: Record<string, unknown>) => void,
): Promise<RunReply> {
  const httpStatus = response.status
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (!isStream || response.body === null) {
    return { httpStatus, isReplaced: false, text: await response.text() }
  }
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const { event = 'message', data } = read.value
    const members = parsed(data)
    if (event === 'staging_error') return { httpStatus, isReplaced: true, text: data }
    if (event === 'run_finished') {
      return { httpStatus, isReplaced: false, text: JSON.stringify(members.response ?? members) }
    }
    onEvent(event, members)
  }
  throw new Error('The connection ended before the reply.')
}

function parsed(data: string): Record<string, unknown> {
  try {
    const value = JSON.parse(data) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
