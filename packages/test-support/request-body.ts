import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** The body of a request as a server received it; `undefined` if the client hung up before its end. */
export async function requestBody(message: IncomingMessage): Promise<Buffer | undefined> {
  return await buffer(message).catch(() => undefined)
}
