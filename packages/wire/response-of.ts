import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'

/** Servers send one or two. Each costs the event loop as much as a reply, and a connection brings thousands at once. */
const MAX_INTERIM_REPLIES = 8

/**
 * Sends a request, and waits for the headers of the response.
 *
 * @throws the request's error; an `Error` if more than eight interim replies (HTTP 1xx) come first
 */
export async function responseOf(request: ClientRequest, body?: string): Promise<IncomingMessage> {
  let interim = 0
  const isFlood = () => interim > MAX_INTERIM_REPLIES
  request.on('information', () => {
    interim += 1
    if (isFlood()) request.destroy()
  })
  try {
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    // What came in one piece with them is still read.
    if (isFlood()) throw new Error('too many interim replies')
    return response
  } finally {
    // What fails from here on fails the body too; without a listener it would crash the process.
    request.on('error', () => {})
  }
}
