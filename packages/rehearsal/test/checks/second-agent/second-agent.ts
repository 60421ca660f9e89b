import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { answer, CannotAnswer } from './answer.ts'
import { checkTask, Refusal, type Task } from './request.ts'
import { cut, tokensIn } from './tokens.ts'

export interface AgentSettings {
  readonly id?: string
  readonly name?: string
  /** Bearer tokens of `/run`; none: it is open. */
  readonly tokens?: readonly string[]
  readonly log?: (line: string) => void
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Least time that a task takes, in milliseconds. */
  readonly thinkMs?: number
}

/** A request as received. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** On the monotonic clock, in milliseconds. */
  readonly arrivedAt: number
  readonly request: IncomingMessage
}

export interface Reply {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The outcome of a task. */
export interface Outcome {
  readonly status: 'success' | 'error' | 'timeout'
  readonly text: string
  readonly steps: number
}

export type Json = Readonly<Record<string, unknown>>

export const MAX_BODY_BYTES = 512 * 1024

/**
 * An agent that shares nothing with this project's: rules instead of a model, `node:http`, and the other choice
 * wherever the interface leaves one. Its methods are the points where a fault can be inserted.
 */
export class SecondAgent {
  readonly settings: Required<AgentSettings>
  /** Its model does not answer: every task ends as if its time were over. */
  isStalled = false

  constructor(settings: AgentSettings = {}) {
    this.settings = {
      id: 'agent-4711',
      name: 'Slide rule & almanac',
      tokens: [],
      log: () => {},
      environment: {},
      thinkMs: 0,
      ...settings,
    }
  }

  /** A server that does not listen yet. */
  server(): Server {
    return createServer((request, response) => void this.serve(request, response))
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedAt = performance.now()
    try {
      const body = await this.receive(request)
      const { method = '', url = '', headers } = request
      const call = { method, path: url.split('?')[0] ?? '', headers, body, arrivedAt, request }
      this.send(await this.route(call), response)
    } catch (error) {
      if (error instanceof Refusal) return this.send(this.refuse(error), response)
      if (request.destroyed && !request.complete) return
      this.log('fault', { kind: error instanceof Error ? error.name : typeof error })
      this.send(json(500, { message: 'internal fault' }), response)
    }
  }

  /** The whole body as text. A body over the limit is still read to its end, so that its sender sees the refusal. */
  async receive(request: IncomingMessage): Promise<string> {
    const parts: Buffer[] = []
    let length = 0
    for await (const part of request) {
      length += part.length
      if (length <= MAX_BODY_BYTES) parts.push(part)
    }
    if (length > MAX_BODY_BYTES) throw new Refusal(413, `a body of ${MAX_BODY_BYTES} bytes at most is taken`)
    return Buffer.concat(parts).toString('utf8')
  }

  send(
    { status, body, headers }: Omit<Reply, 'body'> & { body: string | Buffer },
    response: ServerResponse,
  ): void {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(body)
  }

  route(call: Call): Reply | Promise<Reply> {
    if (call.path === '/health' && call.method === 'GET') return this.health(call)
    if (call.path === '/run' && call.method === 'POST') return this.run(call)
    if (call.path !== '/health' && call.path !== '/run') throw new Refusal(404, `nothing at ${call.path}`)
    throw new Refusal(405, `${call.method} is not served here`)
  }

  health(_call: Call): Reply | Promise<Reply> {
    const { id, name } = this.settings
    return json(200, { status: 'ok', agent_id: id, agent_name: name, kind: 'rules', version: '3.1' })
  }

  async run(call: Call): Promise<Reply> {
    this.authorize(call)
    const task = this.read(call)
    const outcome = await this.perform(task)
    const metrics = this.metrics(task, outcome, call)
    this.log('run', { task: task.id, status: outcome.status, ms: Math.round(1000 * metrics.duration_sec) })
    return this.answered(task, outcome, metrics)
  }

  answered(task: Task, outcome: Outcome, metrics: Json): Reply {
    return json(200, this.response(task, outcome, metrics))
  }

  authorize({ headers }: Call): void {
    const { tokens } = this.settings
    const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
    if (tokens.length > 0 && !tokens.includes(token ?? ''))
      throw new Refusal(401, 'a valid bearer token is due')
  }

  /** @throws Refusal */
  read({ headers, body }: Call): Task {
    if (!/json/i.test(headers['content-type'] ?? '')) throw new Refusal(415, 'the body must be JSON')
    return checkTask(this.parse(body))
  }

  parse(body: string): unknown {
    try {
      return JSON.parse(body)
    } catch {
      throw new Refusal(400, 'the body is not JSON')
    }
  }

  async perform(task: Task): Promise<Outcome> {
    if (this.settings.thinkMs > 0) await pause(this.settings.thinkMs)
    if (this.isStalled) return { status: 'timeout', text: '', steps: 1 }
    try {
      const { text, uses } = this.answer(task)
      return { status: 'success', text: cut(text, task.maxTokens), steps: 1 + uses }
    } catch (error) {
      if (error instanceof CannotAnswer) return { status: 'error', text: error.message, steps: 1 }
      throw error
    }
  }

  answer({ input, tools }: Task): { text: string; uses: number } {
    return answer(input, new Date(), tools)
  }

  metrics(task: Task, outcome: Outcome, { arrivedAt }: Call) {
    const read = tokensIn(task.systemPrompt) + tokensIn(task.input)
    return {
      duration_sec: Math.round(performance.now() - arrivedAt) / 1000,
      input_tokens: read * outcome.steps,
      output_tokens: tokensIn(outcome.text),
      steps: outcome.steps,
      tool_calls: outcome.steps - 1,
    }
  }

  response({ id }: Task, { status, text }: Outcome, metrics: Json): Json {
    const error = status === 'success' ? {} : { error: text }
    return { task_id: id, status, output: text, metrics, ...error, engine: 'rules' }
  }

  refuse({ status, message, taskId }: Refusal): Reply {
    this.log('refused', { code: status })
    const error = { task_id: taskId, status: 'error', output: message, metrics: {}, error: message }
    return json(status, status === 400 ? error : { message })
  }

  /** One line: what happened, and a few facts. The only outside text is the task's id. */
  log(event: string, facts: Readonly<Record<string, string | number>>): void {
    const words = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    this.settings.log(`[${new Date().toISOString()}] ${event} ${words.join(' ')}`)
  }
}

export function json(status: number, body: Json, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body: JSON.stringify(body), headers }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}
