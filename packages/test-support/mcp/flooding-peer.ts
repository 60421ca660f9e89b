import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { listening } from './listening.ts'
import { answer } from './peer.ts'

interface FloodingPeer {
  readonly url: string
  /** How many messages came that are no requests: answers and notifications. */
  answers(): number
  /** When each GET came, by `performance.now()`. */
  readonly gets: readonly number[]
  /** How many floods of interim replies the client has ended. */
  endedInterim(): number
}

export interface Flooding {
  /** Sends these after the list of tools, as events in the same response; an endless iterable is sent until the client ends it. */
  readonly afterList?: Iterable<string>
  /** Sends these besides the list of tools, in one JSON array. */
  readonly inArray?: readonly object[]
  /** Sends these on the stream that the client opens by GET, and ends it after the last. */
  readonly onStream?: Iterable<string>
  /** Answers requests with this method by interim replies (HTTP 102) alone, without end. */
  readonly interim?: 'GET' | 'POST'
}

/** A server of an older protocol over HTTP that sends more than anyone asked for. Closes after the test. */
export async function floodingPeer({
  afterList,
  inArray,
  onStream,
  interim,
}: Flooding): Promise<FloodingPeer> {
  let answers = 0
  const gets: number[] = []
  let endedInterim = 0

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    if (request.method === 'GET') {
      gets.push(performance.now())
      if (!onStream) return void response.writeHead(405).end()
      return await sendEvents(response, onStream)
    }
    const message = JSON.parse((await readText(request)) || '{}')
    const reply = await answer({}, message)
    if (message.method === undefined || !reply) {
      answers += 1
      return void response.writeHead(202).end()
    }
    if (message.method === 'tools/list' && afterList)
      return await sendEvents(response, [JSON.stringify(reply)], afterList)
    const isBatch = message.method === 'tools/list' && inArray
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isBatch ? [reply, ...inArray] : reply))
  }

  async function handleInterim(response: ServerResponse): Promise<void> {
    await sendInterim(response)
    endedInterim += 1
  }

  const server = createServer((request, response) => {
    const handled = request.method === interim ? handleInterim(response) : handle(request, response)
    handled.catch(() => {})
  })
  const { url } = await listening(server)
  return { url, answers: () => answers, gets, endedInterim: () => endedInterim }
}

async function sendInterim(response: ServerResponse): Promise<void> {
  const socket = response.socket!
  const closed = new Promise(resolve => socket.once('close', resolve))
  while (!socket.destroyed) {
    response.writeProcessing()
    if (socket.writableNeedDrain)
      await Promise.race([closed, new Promise(resolve => socket.once('drain', resolve))])
  }
}

async function sendEvents(response: ServerResponse, ...lists: Iterable<string>[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const closed = new Promise(resolve => response.once('close', resolve))
  for (const list of lists)
    for (const data of list) {
      if (response.destroyed) return
      // A line of its own, such as `retry: 0`, is sent as it is.
      const event = data.startsWith('retry:') ? `${data}\n\n` : `data: ${data}\n\n`
      if (!response.write(event))
        await Promise.race([closed, new Promise(resolve => response.once('drain', resolve))])
    }
  response.end()
}
