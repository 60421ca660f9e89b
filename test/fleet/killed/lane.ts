import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startProcess, type TestProcess } from '@agent-task-service/test-support/process'
import { Random } from '@agent-task-service/test-support/random'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { insist, send, type Task } from '../callers.ts'
import { startProxy, type TestProxy } from '../proxy.ts'
import { startRedis, type TestRedis } from '../redis.ts'
import { RedisPair } from '../redis-pair.ts'
import { changedIn, isOver, missingIn, type PaidTwice, paidTwice, type Recorded, repliesIn } from './paid.ts'
import { type RedisGate, startRedisGate } from './redis-gate.ts'
import { payingAs, problemsOf, startWorld, unfoundedIn, type World } from './world.ts'

export const REPLICA = 'node_modules/.cache/killed/replica.js'
/** Redis's answer for a key that does not expire. */
const NEVER = -1
/**
 * `upgrade`: the replica is told to end, and its grace period is over during the run. `redis`: Redis is killed, and starts again
 * without its data. `stored redis`: with its data, and in every second run the replica is lost as well. `failover`: Redis is killed
 * and a copy that lags takes its place, and the replica is lost.
 */
export type Fault = 'kill' | 'suspension' | 'upgrade' | 'redis' | 'stored redis' | 'failover'

export interface Result {
  readonly seed: number
  /** Name of the moment at which the fault happened; absent: the run was over before. */
  readonly moment: string | undefined
  readonly status: string
  /** How many replies were recorded when the fault happened. */
  readonly recorded: number
  /** Whether there may have been a second run that did without Redis. */
  readonly wasRedisAway: boolean
  /** Calls of the model. */
  readonly calls: number
  readonly paidTwice: PaidTwice
  /** From the fault to the answer, in milliseconds. */
  readonly answeredAfterMs: number
  /** Calls with side effects that were not made, since they could not be recorded. */
  readonly refused: number
  readonly problems: readonly string[]
}

export interface LaneOptions {
  readonly fault: Fault
  readonly replicas: number
  /** How long the model takes, in milliseconds. */
  readonly modelMs: number
  /** Variables of the replicas. */
  readonly env: Readonly<Record<string, string>>
}

/** After this long a suspended replica has lost its task, in milliseconds. */
const SUSPENDED_MS = 6_000
/** What a lost replica has sent has reached Redis after this long, in milliseconds. Its lease lasts longer. */
const ARRIVED_MS = 200
/** How far the copy lags, in milliseconds. */
const LAG_MS = 50

interface Replica extends TestProcess {
  readonly name: string
}

/** What a seed draws. */
interface Plan {
  /** Number of the moment. */
  readonly at: number
  /** Whether the fault happens before the message passes, or right after. */
  readonly isFirst: boolean
  /** Whether there are callers at the other replicas from the beginning. */
  readonly othersWait: boolean
  /** How long Redis is away, in milliseconds. */
  readonly downMs: number
  /** Whether the replica ends. */
  readonly isGone: boolean
  /** Whether it loses its tasks. */
  readonly isLost: boolean
}

/** Replicas, a Redis and a world, in which one run after another has a fault. */
export class Lane {
  readonly #fault: Fault
  readonly #hasSteps: boolean
  readonly #world: World
  #redis: TestRedis
  readonly #pair: RedisPair | undefined
  /** The way of the other replicas to Redis. */
  readonly #front: TestProxy | undefined
  readonly #gate: RedisGate
  readonly #env: Record<string, string>
  #others: readonly Replica[] = []
  #started = 0
  /** What a Redis that was killed held about the task. */
  #storedBefore: readonly string[] = []
  #victim!: Promise<Replica>

  static async open({ fault, replicas, modelMs, env }: LaneOptions): Promise<Lane> {
    const [world, pair] = await Promise.all([
      startWorld(env.DECLARES!, env.HONOURS === 'yes', modelMs),
      fault === 'failover' ? RedisPair.start(LAG_MS) : undefined,
    ])
    const kept = fault === 'stored redis' ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
    const redis = pair?.primary ?? (await startRedis(kept))
    // What stands between takes time, of which Redis has little.
    const front = pair && (await startProxy(redis.port))
    const gate = await startRedisGate(redis.port)
    const grace = fault === 'upgrade' && { SHUTDOWN_GRACE_SEC: '0.2' }
    const lane = new Lane(
      fault,
      world,
      { redis, pair, front, gate },
      { ...ENV, ...world.env, ...env, ...grace },
    )
    const { port } = front ?? redis
    lane.#others = await Promise.all(Array.from({ length: replicas - 1 }, () => lane.#start(port)))
    lane.#startVictim()
    await lane.#shared()
    // Only a replica that has seen Redis for the time of a lease takes over from one that is lost.
    if (fault !== 'redis' && fault !== 'stored redis') await sleep(4_500)
    return lane
  }

  private constructor(
    fault: Fault,
    world: World,
    {
      redis,
      pair,
      front,
      gate,
    }: { redis: TestRedis; pair: RedisPair | undefined; front: TestProxy | undefined; gate: RedisGate },
    env: Record<string, string>,
  ) {
    this.#fault = fault
    this.#hasSteps = env.JOURNAL === 'on'
    this.#world = world
    this.#redis = redis
    this.#pair = pair
    this.#front = front
    this.#gate = gate
    this.#env = env
  }

  /** The moments of a run without a fault. */
  async moments(): Promise<string[]> {
    const moments: string[] = []
    this.#onMoment(async name => void moments.push(name))
    await send(await this.#victim, newTask())
    this.#onMoment(async () => undefined)
    return moments
  }

  /** Runs a task whose replica, or Redis, meets a fault at a moment of the seed. */
  async play(seed: number, moments: number): Promise<Result> {
    const plan = this.#planOf(seed, moments)
    const victim = await this.#victim
    const task = newTask()
    const { late, carriedOut } = this.#gate
    const sentBefore = carriedOut.length
    const troublesBefore = troublesOf(victim, ...this.#others)
    const ofVictimBefore = troublesOf(victim)
    const strike = this.#strikeAt(plan, victim, task)
    const mended = Promise.withResolvers<void>()
    const first = this.#first(victim, task, plan, mended.promise)
    first.then(strike.miss, () => undefined)
    const early = plan.othersWait
      ? this.#others.map(other => strike.claimed.then(() => this.#ask([other], task)))
      : []
    const { moment, at } = await strike.done
    this.#onMoment(async () => undefined)
    const isMissed = moment === undefined
    // A run without Redis has fewer moments, and Redis does not have its answer.
    const isUnknown = isMissed && !(await this.#hasAnswer(task))
    const texts = isMissed ? [] : await this.#mend(task, plan)
    const ofOthersOnceMended = troublesOf(...this.#others)
    // What a suspended replica says when it wakes is about its sleep.
    const ofVictim = troublesOf(victim)
    mended.resolve()
    const onTime = this.#fault === 'suspension' ? this.#ask(this.#others, task) : first
    const answered = onTime.then(() => performance.now() - at)
    if (this.#fault === 'suspension') await wake(victim)
    const last = plan.isLost ? [this.#ask(this.#others.slice(-1), task)] : []
    const answers = await Promise.all([onTime, first, ...early, ...last])
    if (this.#fault === 'upgrade') texts.push(...carriedOut.slice(sentBefore))
    const wasRedisAway = this.#pair
      ? true
      : this.#isRedis
        ? !plan.isLost ||
          troublesOf(victim) > ofVictimBefore ||
          troublesOf(...this.#others) > ofOthersOnceMended
        : ofVictim + troublesOf(...this.#others) > troublesBefore
    // The fault may come before it listens.
    await this.#victim
    await this.#shared()
    const recorded: Recorded = {
      lost: plan.isLost && !isMissed ? victim.name : undefined,
      wasRedisAway: wasRedisAway || isUnknown,
      texts,
      isLate: this.#gate.late > late,
    }
    const asked = this.#world.askedFor(task.task_id)
    return {
      seed,
      moment,
      status: answers[0].status,
      recorded: repliesIn(asked, recorded).length,
      wasRedisAway: recorded.wasRedisAway,
      calls: asked.length,
      paidTwice: paidTwice(asked, recorded),
      answeredAfterMs: await answered,
      refused: refusedIn(answers),
      problems: [
        ...this.#problemsOf(task, answers, recorded),
        ...(await this.#everlasting(task)),
        ...(answers[0].status === 'error' ? await this.#sentAgain(task, answers[0]) : []),
      ],
    }
  }

  get #isRedis(): boolean {
    return this.#fault === 'redis' || this.#fault === 'stored redis'
  }

  #planOf(seed: number, moments: number): Plan {
    const random = new Random(seed)
    const isFirst = random.happens(0.5)
    const drawn = random.happens(0.5)
    const downMs = random.whole(50, 3_000)
    const isStored = this.#fault === 'stored redis'
    const isGone = ['kill', 'upgrade', 'failover'].includes(this.#fault) || (isStored && random.happens(0.5))
    const isLost = isGone || this.#fault === 'suspension'
    // Who asks another replica while both are gone gets a run without Redis, and it is not about what was recorded.
    const othersWait = drawn && !(isStored && isGone)
    return { at: seed % moments, isFirst, othersWait, downMs, isGone, isLost }
  }

  /** Strikes at the plan's moment, before its message passes or right after. */
  #strikeAt({ at, isFirst, isGone }: Plan, victim: Replica, task: Task) {
    const claimed = Promise.withResolvers<void>()
    const done = Promise.withResolvers<{ readonly moment: string | undefined; readonly at: number }>()
    const resolve = (moment: string | undefined, at: number) => {
      claimed.resolve()
      done.resolve({ moment, at })
    }
    const strike = async (moment: string) => {
      const at = performance.now()
      await this.#strike(victim, task, moment, isGone)
      resolve(moment, at)
    }
    let count = 0
    this.#onMoment(async moment => {
      count += 1
      if (count > 1) claimed.resolve()
      if (count !== at + 1) return
      if (isFirst) await strike(moment)
      else setImmediate(() => void strike(moment))
    })
    return { claimed: claimed.promise, done: done.promise, miss: () => resolve(undefined, performance.now()) }
  }

  async #strike(victim: Replica, task: Task, moment: string, isGone: boolean): Promise<void> {
    const { child } = victim
    switch (this.#fault) {
      case 'kill':
        return void child.kill('SIGKILL')
      case 'failover':
        child.kill('SIGKILL')
        await this.#pair!.failOver()
        this.#redis = this.#pair!.primary
        this.#front!.target = this.#gate.target = this.#redis.port
        return
      case 'suspension':
        return void child.kill('SIGSTOP')
      case 'upgrade':
        child.kill('SIGTERM')
        // What Redis is asked or answers must pass, or it would seem to be away.
        if (!moment.startsWith('Redis')) await runEnds(victim, task)
        return
      default:
        if (isGone) child.kill('SIGKILL')
        this.#storedBefore = await this.#storedFor(task)
        await this.#redis.kill()
    }
  }

  /** The reply of the first caller, who goes elsewhere if the replica is lost; if Redis was as well, once others have it again. */
  async #first(victim: Replica, task: Task, { isGone }: Plan, mended: Promise<void>): Promise<RunResponse> {
    if (!isGone) return await send(victim, task)
    const replicas = [victim, ...this.#others]
    if (!this.#isRedis) return await this.#ask(replicas, task)
    return await send(victim, task).catch(async () => {
      await mended
      return await this.#ask(replicas, task)
    })
  }

  /** A caller who tries one replica after the other, and again after a reply that only says that its replica ends. */
  async #ask(replicas: readonly Replica[], task: Task): Promise<RunResponse> {
    for (;;) {
      const reply = await insist(replicas, task)
      if (reply.status !== 'timeout' || this.#fault !== 'upgrade') return reply
    }
  }

  /** @returns what was recorded of the task when the fault happened */
  async #mend(task: Task, { isGone, isLost, downMs }: Plan): Promise<string[]> {
    if (isGone) this.#startVictim()
    await this.#pair?.mend()
    if (this.#isRedis) {
      await sleep(downMs)
      await this.#redis.restart()
      if (isGone) await this.#shared()
    }
    if (!isLost) return [...this.#storedBefore]
    await sleep(ARRIVED_MS)
    return await this.#storedFor(task)
  }

  /** What Redis would hold about a task for ever. */
  async #everlasting(task: Task): Promise<string[]> {
    const keys = await this.#keysOf(task)
    const lives = await Promise.all(keys.map(key => this.#redis.client.pttl(key)))
    return keys.filter((_, nth) => lives[nth] === NEVER).map(key => `${key} never expires`)
  }

  /** What Redis holds about a task. */
  async #storedFor(task: Task): Promise<string[]> {
    const keys = await this.#keysOf(task)
    return (await Promise.all(keys.map(key => this.#redis.client.hvals(key)))).flat()
  }

  async #keysOf({ task_id }: Task): Promise<string[]> {
    return await this.#redis.client.keys(`agent-task:*:${task_id}:*`)
  }

  *#problemsOf({ task_id }: Task, answers: readonly RunResponse[], recorded: Recorded): Generator<string> {
    // Who asks while Redis and the replica are gone gets a run that knows nothing and does nothing.
    for (const problem of problemsOf(answers, this.#world.doneFor(task_id)))
      if (!this.#pair || !problem.endsWith('no reply tells') || refusedIn(answers) === 0) yield problem
    if (answers.some(({ task_id: id }) => id !== task_id)) yield 'an answer has another id'
    if (this.#fault !== 'redis') for (const answer of answers) yield* unfoundedIn(answer, recorded.texts)
    // A failover may lose records of steps.
    if (!this.#hasSteps || this.#pair) return
    const asked = this.#world.askedFor(task_id)
    yield* paidTwice(asked, recorded).others
    if (recorded.lost === undefined || recorded.wasRedisAway) return
    yield* missingIn(asked, recorded)
    for (const answer of answers)
      if (answer.status === 'success') yield* changedIn(answer.output, asked, recorded)
  }

  /** A task whose outcome is unknown is not run again. */
  async #sentAgain(task: Task, before: RunResponse): Promise<string[]> {
    const reply = await this.#ask(this.#others, task)
    return JSON.stringify(reply) === JSON.stringify(before)
      ? []
      : [`sent again, it has another answer: ${JSON.stringify(reply)}`]
  }

  /** Resolves when all replicas share their tasks, so that Redis has an answer of each: one that Redis is slow to answer does not. */
  async #shared(): Promise<void> {
    await Promise.all([await this.#victim, ...this.#others].map(replica => this.#sharing(replica)))
  }

  async #sharing(replica: Replica): Promise<void> {
    for (;;) {
      const task = newTask('Say')
      await send(replica, task)
      if (await this.#hasAnswer(task)) return
    }
  }

  async #hasAnswer(task: Task): Promise<boolean> {
    return isOver(await this.#storedFor(task))
  }

  #onMoment(onMoment: (name: string) => Promise<void>): void {
    this.#world.onMoment = onMoment
    this.#gate.onMoment = onMoment
  }

  #startVictim(): void {
    this.#victim = this.#start(this.#gate.port)
  }

  async #start(port: number): Promise<Replica> {
    this.#started += 1
    const name = `replica-${this.#started}`
    const env = { ...this.#env, ...payingAs(name), REDIS_URL: `redis://127.0.0.1:${port}` }
    return { ...(await startProcess(env, [], REPLICA)), name }
  }
}

const ENV = {
  RUN_TIMEOUT_SEC: '60',
  ANSWER_BY_SEC: '60',
  MODEL_PATIENCE_SEC: '60',
  AGENT_ID: 'agent-1',
}

/** Wakes a suspended replica once it has lost its task. */
async function wake({ child }: Replica): Promise<void> {
  await sleep(SUSPENDED_MS)
  child.kill('SIGCONT')
}

/** How often these replicas found that Redis does not answer, as on a machine that is too busy. */
function troublesOf(...replicas: readonly Replica[]): number {
  const lines = replicas.flatMap(({ output }) => output)
  return lines.filter(line => /Redis (did not say|is unavailable)/.test(line)).length
}

function refusedIn(answers: readonly RunResponse[]): number {
  return answers.flatMap(({ output }) => output.match(/cannot be recorded now/g) ?? []).length
}

async function runEnds({ line, exited }: Replica, { task_id }: Task): Promise<void> {
  await Promise.race([line(line => line.msg === 'run' && line.task_id === task_id), exited])
}

/** `Say`: it takes one call of the model. */
function newTask(what: 'Do' | 'Say' = 'Do'): Task {
  const task_id = randomUUID()
  return { task_id, input: `${what} it for ${task_id}` }
}
