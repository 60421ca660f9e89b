import type { ServerResponse } from 'node:http'
import type { Replica, Replicas } from '@agent-task-service/rehearsal/agents'
import {
  type AgentRequest,
  replies,
  scriptedAgent,
  success,
} from '@agent-task-service/test-support/scripted-agent'

/** How a run is answered, by the number of requests before it and the replica that has it. */
type Script = (response: ServerResponse, nth: number, replica: Replica) => void

/** An agent with replicas in this process. One that is killed closes its connections; the next in turn gets the runs then. */
export async function stubReplicas(count: number, script: Script) {
  const requests: AgentRequest[] = []
  const dead = new Set<Replica>()
  const start = async (number: number): Promise<Replica> => {
    const open = new Set<ServerResponse>()
    const { url } = await scriptedAgent((request, response) => {
      if (request.path === '/health') return replies(success)(request, response)
      open.add(response)
      script(response, requests.push(request) - 1, replica)
    })
    const kill = async () => {
      dead.add(replica)
      for (const response of open) response.destroy()
      open.clear()
    }
    const ending = { ended: new Promise<string>(() => {}), end: async () => ({ how: '', clean: true }) }
    const replica: Replica = { number, url, start: undefined as never, kill, ...ending }
    return replica
  }
  const all = await Promise.all(Array.from({ length: count }, (_, index) => start(index + 1)))
  let current = all[0]!
  const replicas: Replicas = {
    get current() {
      return current
    },
    async after(lost) {
      if (!dead.delete(lost)) return undefined
      current = all[lost.number % count]!
      return current
    },
  }
  const agent = {
    id: 'agent-7',
    get url() {
      return current.url
    },
    replicas,
  }
  return { agent, requests }
}
