import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { requestBody } from './request-body.ts'

export interface AgentRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Resolves when the caller disconnects before the reply is complete. */
  readonly left: Promise<void>
}

export interface ScriptedAgent {
  readonly url: string
  /** Requests so far. */
  readonly requests: readonly AgentRequest[]
  /** The next request. */
  arrival(): Promise<AgentRequest>
}

/** A fake agent that answers by a script; closes after the test. */
export async function scriptedAgent(
  script: (request: AgentRequest, response: ServerResponse) => void,
): Promise<ScriptedAgent> {
  const requests: AgentRequest[] = []
  let announce = Promise.withResolvers<AgentRequest>()
  const server = createServer(async (incoming, response) => {
    const left = new Promise<void>(resolve => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    const body = await requestBody(incoming)
    if (body === undefined) return
    const { method = '', url = '', headers } = incoming
    const request = { method, path: url, headers, body, left }
    requests.push(request)
    announce.resolve(request)
    announce = Promise.withResolvers()
    script(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, arrival: () => announce.promise }
}

/** Replies to every run with `make(task_id)`, and reports healthy at `/health`. */
export function replies(make: (taskId: string) => unknown, status = 200, headers = {}) {
  return ({ path, body }: AgentRequest, response: ServerResponse) => {
    response.setHeader('Content-Type', 'application/json')
    if (path === '/health') {
      response.end(JSON.stringify({ status: 'ok', agent_id: 'agent-7', agent_name: 'Scripted' }))
      return
    }
    const made = make(JSON.parse(body.toString()).task_id)
    response.writeHead(status, headers)
    response.end(typeof made === 'string' || Buffer.isBuffer(made) ? made : JSON.stringify(made))
  }
}

/** A run response that meets the contract. */
export function success(task_id: string, output = 'done') {
  const metrics = { duration_sec: 0.5, input_tokens: 12, output_tokens: 3, steps: 1 }
  return { task_id, status: 'success', output, metrics }
}
