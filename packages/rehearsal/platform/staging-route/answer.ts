import type { Exchange } from '../../agents/exchange.ts'
import type { PlatformAnswer, RelayResult } from './outcome.ts'

/** The agent's headers to pass back: those about the answer, not about the connection or the browser. */
const PASSED_HEADER =
  /^(content-type|content-language|retry-after|www-authenticate|idempotent-replayed|x-.*)$/

/** The agent's reply, or the platform's own answer in its place. */
export function answerTo({ headers, body }: Exchange, { httpStatus, answer }: RelayResult): Response {
  if (answer !== null) return toResponse(httpStatus, answer)
  const passed = Object.entries(headers).filter(([name]) => PASSED_HEADER.test(name))
  return new Response(body, { status: httpStatus, headers: [...passed, ['Staging-Answer', 'agent']] })
}

/** The platform's own answer. */
export function toResponse(
  status: number,
  answer: PlatformAnswer,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(answer, { status, headers: { 'Staging-Answer': 'platform', ...headers } })
}

/**
 * The events of a run as they arrive.
 *
 * @param leave called if the caller hangs up
 */
export function streamed(events: AsyncGenerator<string, void>, leave: () => void): Response {
  const body = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      leave()
      await events.return()
    },
  })
  const headers = {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'Staging-Answer': 'agent',
  }
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers })
}

export function isEventStream(header: string | undefined): boolean {
  return header !== undefined && /\btext\/event-stream\b/i.test(header)
}
