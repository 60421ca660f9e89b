import type { ServerResponse } from 'node:http'
import { type AgentRequest, scriptedAgent } from './scripted-agent.ts'

/** An agent that the test controls: it sends what the test sends, when the test sends it. */
export async function streamingAgent() {
  let announce = Promise.withResolvers<StreamedRun>()
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health') {
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ status: 'ok', agent_id: 'agent-7', agent_name: 'Streaming' }))
      return
    }
    announce.resolve(new StreamedRun(request, response))
    announce = Promise.withResolvers()
  })
  return { url: agent.url, nextRun: () => announce.promise }
}

class StreamedRun {
  readonly taskId: string
  readonly headers: AgentRequest['headers']
  /** Resolves when the caller hangs up. */
  readonly left: Promise<void>
  readonly #response: ServerResponse

  constructor({ body, headers, left }: AgentRequest, response: ServerResponse) {
    this.taskId = JSON.parse(body.toString()).task_id
    this.headers = headers
    this.left = left
    this.#response = response
  }

  /** Sends an event; the first makes the reply a stream. */
  send(type: string, data: object): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ v: 1, ...data })}\n\n`)
  }

  /** Ends the stream with its response. */
  finish(response: object): void {
    this.send('run_finished', { at: 1.5, response })
    this.#response.end()
  }

  /** Answers with JSON instead of a stream. */
  reply(response: object): void {
    this.#response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(response))
  }
}
