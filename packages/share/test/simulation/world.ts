import { readConfig } from '@agent-task-service/engine/config'
import { createService, type Service } from '@agent-task-service/engine/service'
import { Random } from '@agent-task-service/test-support/random'
import type { Clock } from './clock.ts'
import { target } from './ioredis.ts'
import { type SimulatedClient, SimulatedRedis } from './redis.ts'
import { Records } from './run-records.ts'
import type { CallerPlan, Fault, Schedule } from './schedule.ts'
import { inputOf, simulatedAgent } from './simulated-agent.ts'
import { StepRecords } from './step-records.ts'
import { sleep } from './waits.ts'

export interface Replica {
  readonly nth: number
  readonly service: Service
  readonly client: SimulatedClient | undefined
  readonly died: PromiseWithResolvers<'lost'>
  /** When it was killed, in milliseconds; absent: it lives. */
  diedAt: number | undefined
  isDraining: boolean
  /** Log lines `run`, parsed. */
  readonly runLines: Readonly<Record<string, unknown>>[]
}

/** One event of a stream, parsed. */
export interface StreamedEvent {
  readonly type: string
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

/** What a caller got. */
export interface Call {
  readonly plan: CallerPlan
  readonly sentAt: number
  readonly endedAt: number
  /** `reply`: all of one. `lost`: its replica was killed. */
  readonly outcome: 'reply' | 'hung_up' | 'lost'
  readonly replica: number
  readonly status: number
  readonly retryAfter: string | null
  readonly isReplay: boolean
  readonly body: Readonly<Record<string, unknown>> | undefined
  /** Absent: no stream. */
  readonly events: readonly StreamedEvent[] | undefined
}

/** A task that is not in the schedule. */
const SHORT = 1_000
const GRACE_MS = 5_000
/** A caller whose replica is lost, or ends its run because it stops, tries others as often. */
const MAX_SENDS = 3

/** Replicas, Redis and callers of a schedule. */
export class World {
  readonly schedule: Schedule
  readonly replicas: Replica[] = []
  readonly records = new Records()
  readonly calls: Call[] = []
  readonly redis: SimulatedRedis
  readonly steps: StepRecords
  readonly #clock: Clock

  constructor(schedule: Schedule, clock: Clock) {
    this.schedule = schedule
    this.#clock = clock
    this.redis = new SimulatedRedis(new Random(schedule.seed + 1))
    this.steps = new StepRecords(this.redis)
  }

  get runs() {
    return this.records.runs
  }

  get tasks() {
    return this.schedule.tasks
  }

  isDead(replica: number): boolean {
    return this.replicas[replica]?.diedAt !== undefined
  }

  async start(): Promise<void> {
    target.redis = this.redis
    for (let nth = 0; nth < this.schedule.replicas; nth += 1) {
      const agent = simulatedAgent(this, nth)
      const runLines: Readonly<Record<string, unknown>>[] = []
      const write = (line: string) => {
        const parsed = JSON.parse(line)
        if (parsed.msg === 'run') runLines.push(parsed)
      }
      const clients = new Set(this.redis.clients)
      const service = await createService(agent, readConfig(this.schedule.env, agent), { write })
      const client = [...this.redis.clients].find(one => !clients.has(one))
      const died = Promise.withResolvers<'lost'>()
      this.replicas.push({ nth, service, client, died, diedAt: undefined, isDraining: false, runLines })
    }
  }

  /** Lets all callers come and all faults happen. Resolves when each caller has its outcome, each fault is over and no run is left. */
  async play(): Promise<void> {
    const { callers, faults } = this.schedule
    await Promise.all([...callers.map(plan => this.#come(plan)), ...faults.map(fault => this.#fail(fault))])
    // Runs whose callers have left end too.
    const alive = this.replicas.filter(({ diedAt }) => diedAt === undefined)
    await Promise.all(alive.map(({ service }) => service.tasks.idle()))
  }

  /** Tasks of their own, one for each slot: none may be refused. */
  async fillSlots(): Promise<string[]> {
    const problems = this.replicas
      .filter(({ diedAt, isDraining }) => diedAt === undefined && !isDraining)
      .map(async ({ nth, service }) => {
        const slots = Number(this.schedule.env.MAX_CONCURRENT_RUNS)
        await service.tasks.idle()
        const replies = Array.from({ length: slots }, async (_, slot) => {
          const body = JSON.stringify({ task_id: `test-${900 + slot}`, input: inputOf(SHORT, false) })
          return (await post(service, body, 'application/json')).status
        })
        const statuses = await Promise.all(replies)
        return statuses.every(status => status === 200)
          ? []
          : [`replica ${nth} has ${slots} slots, and answered ${statuses.join(', ')}`]
      })
    return (await Promise.all(problems)).flat()
  }

  async close(): Promise<void> {
    for (const { service, diedAt } of this.replicas) if (diedAt === undefined) await service.close()
  }

  async #come(plan: CallerPlan): Promise<void> {
    await sleep(plan.at)
    const hangUp = new AbortController()
    if (plan.hangsUpAfter) setTimeout(() => hangUp.abort(), plan.hangsUpAfter)
    for (let sends = 0; sends < MAX_SENDS; sends += 1) {
      const replica = this.#openFrom(plan.replica)
      if (!replica) return
      const sent = this.#send(plan, replica, hangUp.signal)
      if (plan.hangsUpAfter === 0) hangUp.abort()
      const call = await sent
      this.calls.push(call)
      const isStopped =
        /shutting down/.test(String(call.body?.error)) && replica !== this.#openFrom(plan.replica)
      if (call.outcome !== 'lost' && !isStopped) return
    }
  }

  /** A replica that lives; one that stops only if there is no other. */
  #openFrom(first: number): Replica | undefined {
    const order = [...this.replicas.slice(first), ...this.replicas.slice(0, first)]
    const alive = order.filter(({ diedAt }) => diedAt === undefined)
    return alive.find(({ isDraining }) => !isDraining) ?? alive[0]
  }

  async #send(plan: CallerPlan, replica: Replica, signal: AbortSignal): Promise<Call> {
    const sentAt = this.#clock.now
    const { id, maxTokens } = this.tasks[plan.task]!
    const config = maxTokens === undefined ? {} : { config: { max_tokens: maxTokens } }
    const body = JSON.stringify({ task_id: id, input: inputOf(plan.task, plan.isOther), ...config })
    const accept = plan.isStream ? 'text/event-stream' : 'application/json'
    const exchange = (async () => {
      const response = await post(replica.service, body, accept, signal)
      const isStream = response.headers.get('content-type') === 'text/event-stream'
      const text = await response.text()
      const events = isStream ? eventsIn(text) : undefined
      const reply = events ? events.at(-1)?.data.response : JSON.parse(text)
      return { response, events, body: reply }
    })()
    // Of a caller that is gone, nobody reads the answer.
    exchange.catch(() => undefined)
    const ended = await Promise.race([exchange, replica.died.promise, hungUp(signal)])
    const base = { plan, sentAt, endedAt: this.#clock.now, replica: replica.nth }
    if (typeof ended === 'string')
      return {
        ...base,
        outcome: ended,
        status: 0,
        retryAfter: null,
        isReplay: false,
        body: undefined,
        events: undefined,
      }
    const { status, headers } = ended.response
    return {
      ...base,
      outcome: 'reply',
      status,
      retryAfter: headers.get('retry-after'),
      isReplay: headers.has('idempotent-replayed'),
      body: ended.body,
      events: ended.events,
    }
  }

  async #fail(fault: Fault): Promise<void> {
    await sleep(fault.at)
    switch (fault.kind) {
      case 'kill':
        this.#kill(this.replicas[fault.replica]!)
        break
      case 'drain':
        await this.#drain(this.replicas[fault.replica]!)
        break
      case 'cut': {
        const { client } = this.replicas[fault.replica]!
        if (!client) break
        client.link = fault.answers ? 'deaf' : 'cut'
        await sleep(fault.ms)
        client.link = 'open'
        break
      }
      case 'outage':
        this.redis.isDown = true
        await sleep(fault.ms)
        this.redis.isDown = false
        break
      case 'flush':
        this.redis.flush()
        this.steps.forget()
    }
  }

  #kill(replica: Replica): void {
    if (replica.diedAt !== undefined) return
    replica.diedAt = this.#clock.now
    if (replica.client) replica.client.isDead = true
    replica.died.resolve('lost')
  }

  /** As the server does on SIGTERM. */
  async #drain({ service, died, ...replica }: Replica): Promise<void> {
    this.replicas[replica.nth]!.isDraining = true
    service.lifecycle.draining = true
    service.tasks.endWaits()
    const ends = setTimeout(() => service.tasks.endAll(), GRACE_MS - 1_000)
    await Promise.race([service.tasks.idle(), died.promise])
    clearTimeout(ends)
  }
}

async function post(service: Service, body: string, accept: string, signal?: AbortSignal): Promise<Response> {
  const headers = { 'content-type': 'application/json', accept }
  return await service.app.request('/run', { method: 'POST', headers, body, ...(signal && { signal }) })
}

async function hungUp(signal: AbortSignal): Promise<'hung_up'> {
  if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
  return 'hung_up'
}

export function eventsIn(text: string): StreamedEvent[] {
  return text
    .split('\n\n')
    .filter(block => block.startsWith('event: '))
    .map(block => {
      const [, type = '', id = '', data = ''] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(block) ?? []
      return { type, id: Number(id), data: JSON.parse(data) }
    })
}
