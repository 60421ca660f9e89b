import type { AgentDefinition } from '@agent-task-service/engine'
import {
  ScriptedModel,
  type ScriptedReply,
  testService as serviceOf,
} from '@agent-task-service/engine/testing'
import { loadTokenizer } from '@agent-task-service/engine/tokens'
import { type AgentTool, idempotencyKey } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { Random } from '@agent-task-service/test-support/random'
import { testService } from '@agent-task-service/test-support/service'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { tool } from '@langchain/core/tools'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { Clock } from './simulation/clock.ts'
import { target } from './simulation/ioredis.ts'
import { SimulatedRedis } from './simulation/redis.ts'
import { never, sleep } from './simulation/waits.ts'
import { eventsIn } from './simulation/world.ts'

type Tool = Parameters<typeof tool>[1]
export type ModelRequest = ScriptedModel['requests'][number]

/** Longer than a heartbeat, in milliseconds. */
export const BEAT_MS = 1_100
/** After this long, a lost replica's lease is over and others take over, in milliseconds. */
const LEASE_MS = 5_000
/** Less than a run waits for Redis, in milliseconds. */
const OTHERS_GO_ON_MS = 50
const LATEST = 7_200_000
/** Longer than the deadline of a run, in milliseconds. */
const AFTERWARDS = 150_000

// What is loaded on first use must not be loaded by a clock that stands still.
await loadTokenizer()
target.redis = new SimulatedRedis(new Random(1))
const models = [new ScriptedModel(() => 'hello').named()]
const first = await testService({ REDIS_URL: 'redis://127.0.0.1:1' }, { models })
await first.run('hello')
await first.close()

/** A Redis and its replicas, in simulated time. `vitest.config.ts` puts the simulated Redis in the place of ioredis. */
export class Fleet {
  readonly redis = new SimulatedRedis(new Random(1))
  readonly #clock = new Clock()
  #isOver = false

  constructor() {
    target.redis = this.redis
    onTestFinished(() => this.end())
  }

  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    // Runs of lost replicas end too. One that stops while it has a turn of the event loop would keep it from the next test.
    await this.pass(AFTERWARDS)
    this.#clock[Symbol.dispose]()
  }

  /** Lets time pass until it is done. */
  async after<Result>(work: Promise<Result>): Promise<Result> {
    await this.#clock.until(work, LATEST)
    return await work
  }

  async pass(ms: number): Promise<void> {
    await this.after(sleep(ms))
  }

  /** By the clock of the fleet, inside a call. */
  async wait(ms: number): Promise<void> {
    await sleep(ms)
  }

  /** Suspends a replica for so long, to be called by what it waits for: the others go on before it does. */
  async suspend(client: { isSuspended: boolean }, ms: number): Promise<void> {
    client.isSuspended = true
    this.#clock.jump(ms)
    await sleep(OTHERS_GO_ON_MS)
    client.isSuspended = false
  }

  async replica(
    tools: readonly AgentTool[],
    script: (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>,
    env: Record<string, string> = {},
    graph: AgentDefinition['graph'] = agent.graph,
  ) {
    const model = new ScriptedModel(script)
    const options = { models: [model.named()], tools }
    const known = new Set(this.redis.clients)
    const variables = {
      REDIS_URL: 'redis://127.0.0.1:1',
      AGENT_ID: 'agent-1',
      LOG_ERRORS: 'brief',
      // The models are asked again, and may word their calls otherwise.
      JOURNAL: 'effects',
      ...env,
    }
    const service = await this.after(serviceOf({ ...agent, graph }, { env: variables, ...options }))
    const client = [...this.redis.clients].find(client => !known.has(client))!
    await this.pass(LEASE_MS)
    const post = async (task_id: string, accept: string, signal?: AbortSignal) => {
      const body = JSON.stringify({ task_id, input: 'Pay 5 to Ann' })
      const headers = { 'content-type': 'application/json', accept }
      const init = { method: 'POST', headers, body, ...(signal && { signal }) }
      return await (await service.app.request('/run', init)).text()
    }
    const run = async (task_id: string): Promise<RunResponse> =>
      await this.after(service.run('Pay 5 to Ann', undefined, task_id))
    return {
      service,
      model,
      client,
      run,
      /** Runs the task until `reached`, then loses the replica. */
      loseAt: async (task_id: string, reached: Promise<unknown>) => {
        void service.run('Pay 5 to Ann', undefined, task_id).catch(() => undefined)
        await this.after(reached)
        client.isDead = true
        await this.pass(LEASE_MS)
      },
      /** Runs the task until `reached`, then its caller hangs up. */
      hangUpAt: async (task_id: string, reached: Promise<unknown>) => {
        const hangUp = new AbortController()
        void post(task_id, 'application/json', hangUp.signal).catch(() => undefined)
        await this.after(reached)
        hangUp.abort()
        await this.after(service.tasks.idle())
      },
      /** Runs the task, and loses the replica when it wants to store the reply. */
      loseOnFinish: async (task_id: string) => {
        const reached = Promise.withResolvers<void>()
        client.finish = () => {
          client.isDead = true
          reached.resolve()
          return never()
        }
        void service.run('Pay 5 to Ann', undefined, task_id).catch(() => undefined)
        await this.after(reached.promise)
        await this.pass(LEASE_MS)
      },
      /** Runs the task. @returns the events of its stream */
      events: async (task_id: string) => eventsIn(await this.after(post(task_id, 'text/event-stream'))),
      lines: (msg: string) => service.lines.filter(line => String(line.msg).startsWith(msg)),
    }
  }
}

/** A tool that has the side effect of adding its key to `keys`. */
export function payTool(
  keys: string[],
  work: (key: string) => unknown = () => 'paid',
  more: Partial<Tool> & { lookup?: (key: string) => unknown } = {},
) {
  const { lookup, ...fields } = more
  const pay = tool(
    async (_args, runtime) => {
      const key = idempotencyKey(runtime)
      keys.push(key)
      return await work(key)
    },
    {
      name: 'pay',
      description: 'pays',
      schema: z.object({ to: z.string(), amount: z.number() }),
      metadata: { readOnlyHint: false },
      ...fields,
    } as Tool,
  )
  return lookup ? Object.assign(pay, { lookup }) : pay
}

export const ANN = { to: 'Ann', amount: 5 }
export const usage = { input: 1, output: 1 }

/** Pays with these arguments, one call after the other, then answers with the tools' results. */
export function pays(...calls: readonly object[]) {
  return ({ messages }: ModelRequest): ScriptedReply => {
    const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
    const args = calls[results.length]
    return args ? { toolCalls: [{ name: 'pay', args }], usage } : { text: results.join(' | '), usage }
  }
}

/** The same, but never answers after this many calls; and resolves when that is reached. */
export function paysThenHangs(...calls: readonly object[]) {
  const reached = Promise.withResolvers<void>()
  const script = pays(...calls)
  return {
    reached: reached.promise,
    script: async (request: ModelRequest) => {
      if (request.messages.filter(({ type }) => type === 'tool').length < calls.length) return script(request)
      reached.resolve()
      return await never()
    },
  }
}

/** Begins its work and never ends it; resolves when it has begun. */
export function hangingWork() {
  const begun = Promise.withResolvers<string>()
  return {
    begun: begun.promise,
    work: (key: string) => {
      begun.resolve(key)
      return never()
    },
  }
}
