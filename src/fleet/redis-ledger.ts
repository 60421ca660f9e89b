import { randomUUID } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import type { RedisSettings } from '../config/redis-url.ts'
import { errorResponse, type RunResponse } from '../http/contract.ts'
import type { Log } from '../log.ts'
import type { Claim, ClaimOptions, Ledger, TaskKey } from '../tasks/ledger.ts'
import { MemoryLedger } from '../tasks/memory-ledger.ts'
import { Connection, PREFIX } from './connection.ts'
import { BEAT_MS, LEASE_MS, lifeOf, RedisLease } from './redis-lease.ts'

/** Why a task is not run again, for its callers. */
const DEAD = {
  lost: 'the task was given up: two replicas that ran it were lost',
  effects: 'the outcome is unknown: the replica was lost while a tool was at work that has effects outside',
}

export interface RedisLedgerOptions {
  readonly settings: RedisSettings
  readonly agentId: string
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  readonly log: Log
  /** Told whether tasks are shared, at first and when that changes. */
  readonly onChange?: ((isShared: boolean) => void) | undefined
}

type Answer =
  | readonly ['run', fence: number, lost: number]
  | readonly ['wait', leftMs: number]
  | readonly ['reply', response: string]
  | readonly ['dead', why: keyof typeof DEAD]
  | readonly ['full']

/** The ledger of all replicas that share a Redis. While it is away, the ledger of this process alone. */
export class RedisLedger implements Ledger {
  readonly #memory: MemoryLedger
  readonly #options: RedisLedgerOptions
  readonly #connection: Connection
  readonly #replica = randomUUID()
  /** Until when, by our clock, the owners of the tasks that are waited for are known to be there. */
  readonly #waiting = new Map<string, number>()
  #claims = 0
  #hasBeenTold = false

  /** Connects; resolves when it is known whether Redis is there, after a second at the latest. */
  static async open(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = new RedisLedger(options)
    await ledger.#connection.known()
    return ledger
  }

  private constructor(options: RedisLedgerOptions) {
    this.#options = options
    this.#memory = new MemoryLedger(options.replayTtlMs)
    // A heartbeat of no task: it writes, so a Redis that is full or read-only does not count as there.
    const probe = () =>
      this.#connection.run('beat', `${PREFIX}probe:${this.#replica}`, ['probe', 0, 0, BEAT_MS, 0], true)
    this.#connection = new Connection(options.settings, this.#tell.bind(this), probe)
  }

  async claim(task: TaskKey, options: ClaimOptions): Promise<Claim> {
    const kept = this.#memory.replyTo(task)
    if (kept) return { kind: 'reply', response: kept }
    const key = this.#keyOf(task)
    const token = `${this.#replica}:${++this.#claims}`
    // When Redis was away, owners could not renew their leases: they get the time to do it first.
    const mayTakeOver = this.#connection.thereForMs > LEASE_MS
    const flags = [options.mayRun, mayTakeOver].map(Number)
    const args = [this.#replica, token, LEASE_MS, lifeOf(options), ...flags]
    const answer = (await this.#connection.run<Answer>('claim', key, args)) ?? this.#answerAlone(key, options)
    this.#waiting.delete(key)
    switch (answer[0]) {
      case 'run': {
        const [, fence, lost] = answer
        if (lost > 0) this.#options.log.warn({ task_id: task.id, fence }, 'task taken over')
        const keep = (response: RunResponse) => this.#memory.keep(task, response)
        const { replayTtlMs } = this.#options
        const parts = { connection: this.#connection, key, token, fence, options, replayTtlMs, keep }
        return { kind: 'run', lease: new RedisLease(parts) }
      }
      case 'wait': {
        const [, leftMs] = answer
        this.#waiting.set(key, performance.now() + leftMs)
        return { kind: 'wait', changed: this.#connection.news(key, Math.min(leftMs + 1, BEAT_MS)) }
      }
      case 'reply': {
        const response = JSON.parse(answer[1]) as RunResponse
        this.#memory.keep(task, response)
        return { kind: 'reply', response }
      }
      case 'dead':
        this.#options.log.warn({ task_id: task.id, reason: answer[1] }, 'task given up')
        return { kind: 'reply', response: errorResponse(task.id, DEAD[answer[1]]) }
      case 'full':
        return { kind: 'full' }
    }
  }

  leave(task: TaskKey): void {
    const key = this.#keyOf(task)
    this.#waiting.delete(key)
    void this.#connection.run('leave', key, [this.#replica])
  }

  close(): void {
    this.#connection.close()
  }

  /** Redis is away: the task is ours, unless its owner was there a moment ago. */
  #answerAlone(key: string, { mayRun }: ClaimOptions): Answer {
    const leftMs = (this.#waiting.get(key) ?? 0) - performance.now()
    if (leftMs > 0) return ['wait', leftMs]
    return mayRun ? ['run', 0, 0] : ['full']
  }

  #keyOf({ id, content }: TaskKey): string {
    return `${PREFIX}${this.#options.agentId}:${packageJson.version}:${id}:${content}`
  }

  #tell(isThere: boolean, reason: string): void {
    const { log, onChange } = this.#options
    const level = isThere && !this.#hasBeenTold ? 'info' : 'warn'
    this.#hasBeenTold = true
    if (isThere) log[level]('tasks are shared with the other replicas')
    else log[level]({ reason }, 'Redis is away: tasks are not shared with the other replicas')
    onChange?.(isThere)
  }
}
