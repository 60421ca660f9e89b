import { randomUUID } from 'node:crypto'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

const RETRY_MS = 20

const kept = new Agent({ keepAlive: true, maxSockets: 64 })

export interface Answer {
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number
  readonly text: string
}

/**
 * Sends one request to a server on 127.0.0.1. If a burst overflows its connection queue, the kernel resets some
 * connections; these retry, and their time keeps running.
 *
 * @param connection `kept`: from a pool; `own`: a new one, as if from a separate caller
 * @throws if the status is not 200
 */
export async function call(
  port: number,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: object,
  connection: 'kept' | 'own' = 'kept',
): Promise<Answer> {
  const startedAt = performance.now()
  for (;;) {
    try {
      const content = await once(port, method, path, body, connection === 'kept' ? kept : false)
      return { ms: performance.now() - startedAt, text: content }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }
}

function once(port: number, method: string, path: string, body: object | undefined, agent: Agent | false) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise<string>((resolve, reject) => {
    const receive = async (response: IncomingMessage) => {
      const content = await text(response)
      if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${content}`)
      resolve(content)
    }
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent }, response => {
      receive(response).catch(reject)
    })
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const TASK = 'What is 17*23?'

/** Runs one task. @throws if the answer is wrong */
export async function runTask(port: number, input = TASK, connection?: 'kept' | 'own'): Promise<number> {
  const answer = await call(port, 'POST', '/run', { task_id: randomUUID(), input }, connection)
  if (!answer.text.includes('391')) throw new Error(`a run went wrong: ${answer.text}`)
  return answer.ms
}

/** Runs `count` tasks, `atOnce` of them at a time. */
export async function runTasks(port: number, count: number, atOnce: number, input?: string): Promise<void> {
  let left = count
  const caller = async () => {
    while (left-- > 0) await runTask(port, input)
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
}
