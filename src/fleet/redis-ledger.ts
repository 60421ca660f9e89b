import { randomUUID } from 'node:crypto'
import packageJson from '../../package.json' with { type: 'json' }
import { errorResponse, type RunResponse, runResponse } from '../http/contract.ts'
import type { Claim, ClaimOptions, Ledger, TaskKey } from '../tasks/ledger.ts'
import { MemoryLedger } from '../tasks/memory-ledger.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { BEAT_MS, LEASE_MS, MARGIN_MS, PREFIX } from './lua.ts'
import { RedisLease } from './redis-lease.ts'

/** Why a task does not run again, for its callers. */
const DEAD = {
  lost: 'the task was given up: two replicas that ran it were lost',
  effects: 'the outcome is unknown: the replica was lost while running a tool with side effects',
}

export interface RedisLedgerOptions extends ConnectionOptions {
  readonly agentId: string
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
}

type Answer =
  | readonly ['run', fence: number, lost: number]
  | readonly ['wait', leftMs: number]
  | readonly ['reply', response: RunResponse]
  | readonly ['dead', why: keyof typeof DEAD]
  | readonly ['full']

/** The ledger of all replicas that share a Redis. While Redis is unavailable, it serves only this process. */
export class RedisLedger implements Ledger {
  readonly #options: RedisLedgerOptions
  readonly #memory: MemoryLedger
  readonly #connection: Connection
  readonly #replica = randomUUID()
  /** For each task we wait for: the time, by our clock, until which its owner is known to be alive. */
  readonly #waiting = new Map<string, number>()

  /** Connects. Resolves once it is known whether Redis is available, after about a second at the latest. */
  static async open(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = new RedisLedger(options)
    await ledger.#connection.known
    return ledger
  }

  private constructor(options: RedisLedgerOptions) {
    this.#options = options
    this.#memory = new MemoryLedger(options.replayTtlMs)
    this.#connection = new Connection(options)
  }

  async claim(task: TaskKey, options: ClaimOptions): Promise<Claim> {
    const own = await this.#memory.claim(task, options)
    if (own.kind !== 'run') return own
    const { replayTtlMs, log } = this.#options
    const key = this.#keyOf(task)
    const token = randomUUID()
    const lifeMs = Math.ceil(Math.max(0, options.timeLeftMs)) + MARGIN_MS
    // While Redis was unavailable, owners could not renew their leases; give them time to do so first.
    const mayTakeOver = this.#connection.availableForMs > LEASE_MS
    const args = [this.#replica, token, lifeMs, Number(options.mayRun), Number(mayTakeOver)]
    const answer = read(await this.#connection.run('claim', key, args)) ?? this.#answerAlone(key, options)
    this.#waiting.delete(key)
    switch (answer[0]) {
      case 'run': {
        const [, fence, lost] = answer
        if (lost > 0) log.warn({ task_id: task.id, fence }, 'task taken over')
        const claim = [token, fence] as const
        const parts = { connection: this.#connection, key, claim, lifeMs, replayTtlMs, own: own.lease }
        return { kind: 'run', lease: new RedisLease(parts) }
      }
      case 'wait':
        this.#waiting.set(key, performance.now() + answer[1])
        return { kind: 'wait', changed: this.#connection.news(key, Math.min(answer[1] + 1, BEAT_MS)) }
      case 'reply':
        await own.lease.finish(answer[1])
        return { kind: 'reply', response: answer[1] }
      case 'dead':
        log.warn({ task_id: task.id, reason: answer[1] }, 'task given up')
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

  /** The answer while Redis is unavailable: the task is ours, unless its owner was alive a moment ago. */
  #answerAlone(key: string, { mayRun }: ClaimOptions): Answer {
    const leftMs = (this.#waiting.get(key) ?? 0) - performance.now()
    if (leftMs > 0) return ['wait', leftMs]
    return mayRun ? ['run', 1, 0] : ['full']
  }

  #keyOf({ id, content }: TaskKey): string {
    return `${PREFIX}${this.#options.agentId}:${packageJson.version}:${id}:${content}`
  }
}

/** Reads Redis's answer to a claim; ignores a stored reply that is not valid, whoever put it there. */
function read(said: readonly unknown[] | undefined): Answer | undefined {
  if (said?.[0] !== 'reply') return said as Answer | undefined
  try {
    return ['reply', runResponse.parse(JSON.parse(String(said[1])))]
  } catch {
    return undefined
  }
}
