import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess, type TestProcess } from '@agent-task-service/test-support/process'
import { Random } from '@agent-task-service/test-support/random'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { insist, send, type Task } from '../callers.ts'
import { startRedis, type TestRedis } from '../redis.ts'
import { type RedisGate, startRedisGate } from './redis-gate.ts'
import { problemsOf, startWorld, type World } from './world.ts'

export const REPLICA = 'node_modules/.cache/killed/replica.js'
export type Fault = 'kill' | 'suspend' | 'redis'

export interface Result {
  readonly seed: number
  /** Name of the moment at which the fault happened; absent: the run was over before. */
  readonly moment: string | undefined
  readonly status: string
  readonly problems: readonly string[]
}

/** After this long a suspended replica has lost its task, in milliseconds. */
const SUSPENDED_MS = 6_000

/** Two replicas, a Redis and a world, in which one run after another has a fault. */
export class Lane {
  readonly #world: World
  readonly #redis: TestRedis
  readonly #gate: RedisGate
  readonly #env: Record<string, string>
  readonly #other: TestProcess
  #victim: Promise<TestProcess>

  static async open(env: Record<string, string>): Promise<Lane> {
    const [world, redis] = await Promise.all([
      startWorld(env.DECLARES === 'yes', env.HONOURS === 'yes'),
      startRedis(),
    ])
    const gate = await startRedisGate(redis.port)
    const common = { ...ENV, ...world.env, ...env }
    const other = await startProcess({ ...common, REDIS_URL: redis.url }, [], REPLICA)
    // Only a replica that has seen Redis for the time of a lease takes over.
    await sleep(4_500)
    return new Lane(world, redis, gate, common, other)
  }

  private constructor(
    world: World,
    redis: TestRedis,
    gate: RedisGate,
    env: Record<string, string>,
    other: TestProcess,
  ) {
    this.#world = world
    this.#redis = redis
    this.#gate = gate
    this.#env = env
    this.#other = other
    this.#victim = this.#startVictim()
  }

  /** The moments of a run without a fault. */
  async moments(): Promise<string[]> {
    const moments: string[] = []
    this.#onMoment(async name => void moments.push(name))
    await send(await this.#victim, newTask())
    return moments
  }

  /** Runs a task whose replica, or Redis, meets a fault at a moment of the seed. */
  async play(seed: number, fault: Fault, moments: number): Promise<Result> {
    const random = new Random(seed)
    const at = seed % moments
    const isFirst = random.happens(0.5)
    const othersWait = random.happens(0.5)
    const downMs = random.whole(50, 3_000)
    const victim = await this.#victim
    const task = newTask()
    const claimed = Promise.withResolvers<void>()
    const struck = Promise.withResolvers<string | undefined>()
    let count = 0
    this.#onMoment(async name => {
      count += 1
      if (count > 1) claimed.resolve()
      if (count !== at + 1) return
      // Before the message passes, or right after.
      if (isFirst) await this.#strike(fault, victim)
      else setImmediate(() => void this.#strike(fault, victim))
      struck.resolve(name)
    })
    const first = fault === 'kill' ? insist([victim, this.#other], task) : send(victim, task)
    first.then(
      () => struck.resolve(undefined),
      () => undefined,
    )
    const early = othersWait ? this.#join(task, Promise.race([claimed.promise, struck.promise])) : undefined
    const moment = await struck.promise
    this.#onMoment(async () => undefined)
    const replies = [first, early, fault === 'redis' ? undefined : insist([this.#other], task)]
    if (fault === 'kill' && moment !== undefined) this.#victim = this.#startVictim()
    if (fault === 'suspend') await sleep(SUSPENDED_MS)
    if (fault === 'redis' && moment !== undefined) await sleep(downMs)
    await this.#mend(fault, victim, moment)
    const answers = (await Promise.all(replies)).filter(reply => reply !== undefined)
    const problems = [...this.#problemsOf(task, answers)]
    if (fault === 'redis') await this.#connected()
    if (answers[0]!.status === 'error') problems.push(...(await this.#sentAgain(task, answers[0]!)))
    return { seed, moment, status: answers[0]!.status, problems }
  }

  *#problemsOf({ task_id, input }: Task, answers: readonly RunResponse[]): Generator<string> {
    const done = this.#world.doneFor(input.split(' ').at(-1)!)
    yield* problemsOf(answers, done)
    if (answers.some(({ task_id: id }) => id !== task_id)) yield 'an answer has another id'
  }

  /** A task whose outcome is unknown is not run again. */
  async #sentAgain(task: Task, before: RunResponse): Promise<string[]> {
    const reply = await insist([this.#other], task)
    return JSON.stringify(reply) === JSON.stringify(before)
      ? []
      : [`sent again, it has another answer: ${JSON.stringify(reply)}`]
  }

  /** A second caller, at the other replica. */
  async #join(task: Task, victimHasIt: Promise<unknown>): Promise<RunResponse> {
    await victimHasIt
    return await insist([this.#other], task)
  }

  async #strike(fault: Fault, { child }: TestProcess): Promise<void> {
    if (fault === 'redis') await this.#redis.kill()
    else child.kill(fault === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  }

  async #mend(fault: Fault, { child }: TestProcess, moment: string | undefined): Promise<void> {
    if (fault === 'suspend') child.kill('SIGCONT')
    if (fault !== 'redis' || moment === undefined) return
    await this.#redis.restart()
  }

  /** Resolves when both replicas have asked Redis something since it started. */
  async #connected(): Promise<void> {
    let clients = ''
    while (clients.split('cmd=evalsha').length < 3) clients = String(await this.#redis.client.client('LIST'))
  }

  #onMoment(onMoment: (name: string) => Promise<void>): void {
    this.#world.onMoment = onMoment
    this.#gate.onMoment = onMoment
  }

  async #startVictim(): Promise<TestProcess> {
    return await startProcess(
      { ...this.#env, REDIS_URL: `redis://127.0.0.1:${this.#gate.port}` },
      [],
      REPLICA,
    )
  }
}

const ENV = {
  RUN_TIMEOUT_SEC: '60',
  ANSWER_BY_SEC: '60',
  MODEL_PATIENCE_SEC: '60',
  AGENT_ID: 'agent-1',
}

function newTask(): Task {
  const task_id = randomUUID()
  return { task_id, input: `Do it for ${task_id}` }
}
