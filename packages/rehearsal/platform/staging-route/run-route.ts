import type { Context } from 'hono'
import type { AgentClient } from '../../agents/agent-client.ts'
import { eventRecorder } from '../../agents/event-recorder.ts'
import type { Exchange } from '../../agents/exchange.ts'
import type { AgentTarget } from '../../agents/start-agent.ts'
import { RUN_HEADER } from '../../api.ts'
import type { CheckedRun } from '../../checks/session/replies.ts'
import { HEALTH_INTERVAL_MS, RUN_TIMEOUT_MS } from '../../limits.ts'
import type { Common } from '../common.ts'
import type { Monitor } from '../monitor.ts'
import type { LogLines } from './log-lines.ts'
import { type Outcome, outcomeOf, type PlatformAnswer, refuse } from './outcome.ts'
import { relay } from './relay.ts'
import { readTask } from './task.ts'

/** The agent's headers to pass back: those about the answer, not about the connection or the browser. */
const PASSED_HEADER =
  /^(content-type|content-language|retry-after|www-authenticate|idempotent-replayed|x-.*)$/

/** An agent that the platform knows. */
export interface Agent extends AgentTarget {
  readonly client: AgentClient
  readonly monitor: Monitor
  /** Absent: its log is unknown. */
  readonly lines: LogLines | undefined
}

/**
 * `POST /staging/agents/:agent_id/run`, after authentication: passes the body to the agent unchanged, and its reply back.
 * Every run is recorded before its caller gets the answer. The header `Staging-Answer` says whose answer it is,
 * `Staging-Run` the number of its record.
 */
export function runRoute({ store: { runs }, redact, clock }: Common) {
  return async (c: Context, { id: agentId, client, monitor, lines }: Agent): Promise<Response> => {
    const at = clock.date()
    const startedAt = clock.monotonic()
    const task = readTask(new Uint8Array(await c.req.arrayBuffer()))
    const id = runs.nextNumber()
    const byChecks = c.req.header('staging-by') === 'checks'
    const recorder = eventRecorder()
    const endLog = lines?.begin()

    const record = (outcome: Outcome, wallMs: number, agentStatus: number | null = null, reply = '') => {
      const { status, httpStatus, broken, answer } = outcome
      const request = new TextDecoder().decode(task.bytes)
      const replyText = reply === '' && answer !== null ? JSON.stringify(answer) : reply
      const run = { status, httpStatus, agentStatus, wallMs, request, reply: replyText, broken }
      runs.add({ id, agentId, at, ...run, events: recorder.all, byChecks })
      endLog?.(task.echo, logged => runs.addLog(id, logged))
      return outcome
    }
    const conclude = (exchange: Exchange) =>
      record(outcomeOf(agentId, exchange, task, redact), exchange.wallMs, exchange.status, exchange.body)
    const answer = async (): Promise<Response> => {
      const { state, since, cause } = monitor.availability
      if (state === 'unavailable') {
        const why = redact.text(`${agentId} has been unavailable since ${since}: ${cause}`)
        const { answer } = record(refuse(503, why, task), clock.monotonic() - startedAt)
        return toResponse(503, answer!, { 'Retry-After': String(HEALTH_INTERVAL_MS / 1000) })
      }
      const reading = new AbortController()
      const accept = c.req.header('accept')
      const opened = await client.openRun(task.bytes, {
        timeoutMs: RUN_TIMEOUT_MS,
        headers: accept === undefined ? {} : { accept },
        signal: AbortSignal.any([c.req.raw.signal, reading.signal]),
      })
      if (!('read' in opened)) return answerTo(opened, conclude(opened))
      const isStream = opened.status === 200 && isEventStream(opened.headers['content-type'])
      if (isStream && isEventStream(accept)) {
        return streamed(relay(opened, recorder, conclude), () => reading.abort())
      }
      const exchange = await opened.read()
      return answerTo(exchange, conclude(exchange))
    }
    const response = await answer()
    response.headers.set(RUN_HEADER, String(id))
    return response
  }
}

/** Records the runs that the acceptance checks make without the staging route; returns their numbers. */
export function checkedRuns({ store: { runs }, redact }: Common) {
  return ({ id: agentId }: Agent, { request, exchange, when: { from } }: CheckedRun): number => {
    const text = JSON.stringify(request)
    const task = readTask(new TextEncoder().encode(text))
    const { status, httpStatus, broken } = outcomeOf(agentId, exchange, task, redact)
    const { status: agentStatus, wallMs, body: reply } = exchange
    const run = { agentStatus, httpStatus: agentStatus ?? httpStatus, wallMs, request: text, reply, broken }
    return runs.add({ agentId, at: from, status, ...run, byChecks: true })
  }
}

function answerTo({ headers, body }: Exchange, { httpStatus, answer }: Outcome): Response {
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

function streamed(events: AsyncGenerator<string, void>, leave: () => void): Response {
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

function isEventStream(header: string | undefined): boolean {
  return header !== undefined && /\btext\/event-stream\b/i.test(header)
}
