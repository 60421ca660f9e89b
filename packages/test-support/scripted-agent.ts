import type { ServerResponse } from 'node:http'
import { type BackendRequest, startBackend } from './backend.ts'

export interface AgentRequest extends BackendRequest {
  /** Resolves when the caller disconnects before the reply is complete. */
  readonly left: Promise<void>
}

interface ScriptedAgent {
  readonly url: string
  /** Requests so far. */
  readonly requests: readonly AgentRequest[]
  /** The next request. */
  arrival(): Promise<AgentRequest>
}

/** A fake agent that answers by a script. */
export async function scriptedAgent(
  script: (request: AgentRequest, response: ServerResponse) => void,
): Promise<ScriptedAgent> {
  const requests: AgentRequest[] = []
  let announce = Promise.withResolvers<AgentRequest>()
  const { url } = await startBackend((response, received) => {
    const left = new Promise<void>(resolve => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    const request = { ...received, left }
    requests.push(request)
    announce.resolve(request)
    announce = Promise.withResolvers()
    script(request, response)
  })
  return { url, requests, arrival: () => announce.promise }
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
