import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { CheckLimits, GroupId } from '@agent-task-service/rehearsal/checks'
import { Refusal, type Task } from '../second-agent/request.ts'
import {
  type AgentSettings,
  type Call,
  type Json,
  json,
  MAX_BODY_BYTES,
  type Outcome,
  pause,
  type Reply,
  SecondAgent,
} from '../second-agent/second-agent.ts'

/** One run, as its fault sees it. */
export interface Run {
  readonly call: Call
  /** In how many parts its body came. */
  readonly parts: number
  readonly task: Task
  readonly config: Json
  /** The tasks before this one, oldest first. */
  readonly earlier: readonly Task[]
  /** Those of them that came on the same connection. */
  readonly earlierHere: readonly Task[]
  /** The task that came last, which may be a later one. */
  latest(): Task
  /** All tasks that have come, later ones too. */
  begun(): readonly Task[]
  /** The outcomes and metrics so far, in the order in which their runs ended. */
  readonly ended: readonly Ended[]
  /** Whether another run is in progress. */
  readonly overlaps: boolean
  readonly environment: AgentSettings['environment']
  log(text: string): void
}

interface Ended {
  readonly outcome: Outcome
  readonly metrics: Metrics
  readonly task: Task
  /** As it was sent. */
  readonly config: Json
}

/** What a poll of `/health` finds. */
interface State {
  readonly polls: number
  readonly runs: number
  readonly underWay: number
  readonly refusals: number
  readonly ended: Run['ended']
  readonly headers: Call['headers']
  readonly environment: AgentSettings['environment']
}

type Metrics = ReturnType<SecondAgent['metrics']>

/** Where an agent goes wrong: each member changes what the second agent would do. */
export interface Change {
  /** Whether a run has the fault at all; absent: every run. */
  readonly when?: (run: Run) => boolean
  /** Applied after `takes`. */
  readonly task?: (task: Task, run: Run) => Task
  /** Milliseconds that it takes longer. */
  readonly takes?: number
  readonly outcome?: (outcome: Outcome, run: Run) => Outcome
  readonly metrics?: (metrics: Metrics, run: Run) => Json
  /** The body of a run response. */
  readonly body?: (body: Json, run: Run) => Json
  /** The response to a run as a whole. */
  readonly reply?: (reply: Reply, run: Run) => Reply
  readonly refuse?: (refusal: Refusal, reply: Reply) => Reply
  /** Takes a run whatever its token. */
  readonly anyToken?: true
  readonly health?: (body: Json, state: State) => Json | Reply | Promise<Json>
  /** What it logs of any request, also of one that it refuses. */
  readonly logs?: (call: Call, refusal: Refusal | undefined) => string | undefined
  /** What it logs of a request whose caller hung up; `fails`: it answers no run after that; `cancels`: it ends all in progress. */
  readonly hungUp?: ((body: string) => string) | 'fails' | 'cancels'
  /** What half a body does: it is run as it is, breaks all that follows, or occupies the agent. */
  readonly half?: 'runs' | 'breaks' | 'occupies'
  /** The reply on a connection that has had another one. */
  readonly again?: (first: Reply, second: Reply) => Reply
  /** Refuses a large body without reading it, and keeps the connection. */
  readonly unread?: true
  /** How many runs it takes at once; each hang-up leaves it one less. */
  readonly slots?: number
  /** Compresses every reply, also for callers that do not take that. */
  readonly compresses?: true
  /** What it sends when the time of a run is over. */
  readonly timedOut?: (body: Json) => Reply
  /** How it is examined. */
  readonly limits?: Partial<CheckLimits>
  readonly only?: readonly GroupId[]
  /** It requires no token, and the checks get none. */
  readonly isOpen?: true
}

/** In place of a reply: the connection closes. */
export const CUT: Reply = { status: 0, body: '' }
/** The same, for this request and all that follow. */
export const DEAD: Reply = { status: 0, body: '' }

/** An agent with a fault from a table. */
export const faulty = (change: Change, Base: typeof SecondAgent = SecondAgent) =>
  class extends Base {
    readonly #earlier: Task[] = []
    readonly #parts = new WeakMap<IncomingMessage, number>()
    readonly #sockets = new Map<Task, Socket>()
    readonly #ended: Ended[] = []
    readonly #last = new WeakMap<object, Reply>()
    #underWay = 0
    #polls = 0
    #refusals = 0
    #isBroken = false
    #isDead = false
    #bodiesDue = 0
    #hangUps = 0

    override async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
      response.once('close', () => {
        if (response.writableFinished || request.url !== '/run') return
        this.#hangUps += 1
        if (change.hungUp === 'fails') this.#isBroken = true
        else if (typeof change.hungUp === 'function') this.settings.log(change.hungUp(body))
      })
      let body = ''
      // Whoever listens reads.
      if (!change.unread)
        request.on('data', part => {
          body += part
        })
      await super.serve(request, response)
    }

    override async receive(request: IncomingMessage): Promise<string> {
      if (change.unread && Number(request.headers['content-length']) > MAX_BODY_BYTES) {
        // So that Node does not read it either.
        Object.assign(request, { _dump: () => {} })
        throw new Refusal(413, 'too large')
      }
      let body = ''
      request.on('data', part => {
        body += part
        this.#parts.set(request, 1 + (this.#parts.get(request) ?? 0))
      })
      this.#bodiesDue += 1
      const reading = super.receive(request).finally(() => {
        this.#bodiesDue -= 1
      })
      return await reading.catch((refusal: Refusal) => {
        if (change.half === 'breaks' && !request.complete) this.#isBroken = true
        if (change.half === 'runs' && !request.complete) return `${body}"}`
        const line = change.logs?.({ body, headers: request.headers } as Call, refusal)
        if (line !== undefined) this.settings.log(line)
        throw refusal
      })
    }

    override send(reply: Reply, response: ServerResponse): void {
      this.#isDead ||= reply === DEAD
      if (reply === CUT || this.#isDead) return void response.destroy()
      const { socket } = response.req
      const first = this.#last.get(socket)
      this.#last.set(socket, reply)
      const sent = first && change.again ? change.again(first, reply) : reply
      if (change.compresses) response.setHeader('Content-Encoding', 'gzip')
      super.send(change.compresses ? { ...sent, body: gzipSync(sent.body) } : sent, response)
    }

    override async route(call: Call): Promise<Reply> {
      if (change.half === 'occupies' && this.#bodiesDue > 0) return json(503, { message: 'busy' })
      const note = (refusal?: Refusal) => {
        const line = call.path === '/run' ? change.logs?.(call, refusal) : undefined
        if (line !== undefined) this.settings.log(line)
      }
      try {
        const reply = await super.route(call)
        note()
        return reply
      } catch (error) {
        if (error instanceof Refusal) note(error)
        throw error
      }
    }

    override async run(call: Call): Promise<Reply> {
      if (this.#isBroken) throw new Error('broken by a caller that hung up')
      if (this.#hangUps + this.#underWay >= (change.slots ?? Number.POSITIVE_INFINITY))
        return json(503, { message: 'busy' })
      if (!change.anyToken) this.authorize(call)
      const run = this.#runOf(call)
      const { when = () => true } = change
      const own = when(run) ? change : {}
      this.#earlier.push(run.task)
      this.#sockets.set(run.task, call.request.socket)
      this.#underWay += 1
      const hangUps = this.#hangUps
      try {
        if (own.takes !== undefined) await pause(own.takes)
        const task = own.task?.(run.task, run) ?? run.task
        return this.#unlessHungUp(await this.#replyTo({ ...run, task }, own), hangUps)
      } finally {
        this.#underWay -= 1
      }
    }

    /** @param before how many had hung up when the run began */
    #unlessHungUp(reply: Reply, before: number): Reply {
      const isCancelled = change.hungUp === 'cancels' && this.#hangUps > before
      return isCancelled ? json(500, { message: 'cancelled' }) : reply
    }

    #runOf(call: Call): Run {
      return {
        call,
        parts: this.#parts.get(call.request) ?? 0,
        task: this.read(call),
        config: (JSON.parse(call.body).config ?? {}) as Json,
        earlier: [...this.#earlier],
        earlierHere: this.#earlier.filter(one => this.#sockets.get(one) === call.request.socket),
        latest: () => this.#earlier.at(-1)!,
        begun: () => this.#earlier,
        ended: this.#ended,
        overlaps: this.#underWay > 0,
        environment: this.settings.environment,
        log: this.settings.log,
      }
    }

    /** @param own what is changed in this run */
    async #replyTo(run: Run, own: Change): Promise<Reply> {
      const { task, call } = run
      const right = await this.perform(task)
      const outcome = own.outcome?.(right, run) ?? right
      const measured = this.metrics(task, outcome, call)
      const metrics = own.metrics?.(measured, run) ?? measured
      this.log('run', { task: task.id, status: outcome.status })
      const body = this.response(task, outcome, metrics)
      const reply = json(200, own.body?.(body, run) ?? body)
      this.#ended.push({ outcome, metrics: measured, task, config: run.config })
      if (this.isStalled) return change.timedOut?.(JSON.parse(reply.body)) ?? reply
      return own.reply?.(reply, run) ?? reply
    }

    override refuse(refusal: Refusal): Reply {
      this.#refusals += 1
      const reply = super.refuse(refusal)
      return change.refuse?.(refusal, reply) ?? reply
    }

    override async health(call: Call): Promise<Reply> {
      const reply = await super.health(call)
      if (change.health === undefined) return reply
      this.#polls += 1
      const state = {
        polls: this.#polls,
        runs: this.#earlier.length,
        underWay: this.#underWay,
        refusals: this.#refusals,
        ended: this.#ended,
        headers: call.headers,
        environment: this.settings.environment,
      }
      const said = await change.health(JSON.parse(reply.body), state)
      return typeof said.body === 'string' ? (said as unknown as Reply) : json(200, said as Json)
    }
  }
