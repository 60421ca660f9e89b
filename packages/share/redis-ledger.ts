import { randomUUID } from 'node:crypto'
import {
  type Claim,
  type ClaimOptions,
  describeDone,
  describeUnknown,
  type Lease,
  type Ledger,
  MemoryLedger,
  newRunId,
  StateLog,
  type TaskKey,
  unsharedStore,
} from '@agent-task-service/engine/share'
import { errorResponse } from '@agent-task-service/wire/contract'
import { BEAT_MS, type Claimed, LEASE_MS, MARGIN_MS } from './claim-scripts.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { RedisLease, type RedisLeaseOptions } from './redis-lease.ts'
import type { ScriptAnswer } from './script-results.ts'
import type { Earlier } from './task-fields.ts'

/** Losing a replica counts against a task once it has served others for this long, in milliseconds. */
const STEADY_MS = 10_000
/** What Redis counts of a US dollar. */
const USD = 1e9
/** Why a task does not run again, for its callers. */
const GIVEN_UP = 'the task was given up: too many replicas that ran it were lost'

interface RedisLedgerOptions
  extends ConnectionOptions,
    Pick<RedisLeaseOptions, 'agentDigest' | 'mask' | 'replayTtlMs'> {
  readonly agentId: string
  /** What is recorded of a run's calls. */
  readonly journal: 'on' | 'effects' | 'off'
}

/** How a claim was made. */
type Asking = Pick<RedisLeaseOptions, 'claimedAt' | 'lifeMs' | 'signal'>

const NOTHING: Earlier = { effects: [], steps: new Map() }

/** The ledger of all replicas that share a Redis. While Redis is unavailable, it serves only this process. */
export class RedisLedger implements Ledger {
  readonly #options: RedisLedgerOptions
  readonly #memory: MemoryLedger
  readonly #connection: Connection
  readonly #replica = randomUUID()
  /** For each task that another replica has: the time, by our clock, until which its owner is known to be alive. */
  readonly #waiting = new Map<string, number>()
  /** When this replica first had a reply, by our clock. */
  #servingSince: number | undefined
  readonly #alone = new StateLog((reason, count, fields) =>
    this.#options.log.warn({ ...fields, reason, count }, 'Redis did not say who runs a task: it runs alone'),
  )

  /** Connects. Resolves once it is known whether Redis is available, after about a second at the latest. */
  static async open(options: RedisLedgerOptions): Promise<RedisLedger> {
    const ledger = new RedisLedger(options)
    await ledger.#connection.known
    if (options.replicas === 0) await ledger.#connection.tellOfReplicas()
    return ledger
  }

  private constructor(options: RedisLedgerOptions) {
    this.#options = options
    this.#memory = new MemoryLedger(options.replayTtlMs)
    this.#connection = new Connection(options, this.#replica)
  }

  async claim(task: TaskKey, options: ClaimOptions): Promise<Claim> {
    const replay = this.#memory.replay(task)
    if (replay) return { kind: 'reply', response: replay }
    const { log, metrics } = this.#options
    const key = this.#keyOf(task)
    // Within 64 bytes, up to which Redis stores a hash compactly.
    const token = `${this.#replica}/${newRunId()}`
    const runId = newRunId()
    const lifeMs = Math.ceil(Math.max(0, options.timeLeftMs)) + MARGIN_MS
    // While Redis was unavailable, owners could not renew their leases; give them time to do so first.
    const mayTakeOver = this.#connection.availableForMs > LEASE_MS
    const given = {
      replica: this.#replica,
      token,
      run: runId,
      lifeMs,
      mayRun: options.mayRun,
      mayTakeOver,
      agent: this.#options.agentDigest,
    }
    const isAvailable = this.#connection.availableForMs > 0
    const ask = (isProbe: boolean) => this.#connection.run('claim', key, given, isProbe)
    const runHere = (fence: number, run: string, earlier: Earlier): Claim => {
      return { kind: 'run', lease: this.#leaseOf(task, { token, fence, run }, earlier, asking) }
    }
    const asking: Asking = { claimedAt: performance.now(), lifeMs, signal: options.signal }
    // A run alone may be the task's second one, so Redis is asked twice before.
    const answer = (await ask(false)) ?? (await ask(isAvailable)) ?? this.#answerAlone(key, options)
    this.#waiting.delete(key)
    switch (answer[0]) {
      case 'run': {
        const [, fence, isTakenOver, run, earlier] = answer
        if (isTakenOver) {
          const recorded_steps = this.#options.journal === 'on' ? earlier.steps.size : undefined
          log.warn({ task_id: task.id, fence, recorded_steps }, 'task taken over')
          metrics?.task('taken_over')
        }
        return runHere(fence, run, earlier)
      }
      case 'alone':
        this.#runsAlone(task, 'no answer')
        return runHere(1, runId, NOTHING)
      case 'invalid':
        this.#runsAlone(task, 'not valid')
        return options.mayRun
          ? { kind: 'run', lease: this.#unstored(task, options.signal, runId) }
          : { kind: 'full' }
      case 'wait':
        this.#waiting.set(key, performance.now() + answer[1])
        return { kind: 'wait', changed: this.#connection.news(key, Math.min(answer[1] + 1, BEAT_MS)) }
      case 'reply':
        this.#memory.keep(task, answer[1])
        return { kind: 'reply', response: answer[1] }
      case 'dead': {
        const [, reason, { effects }] = answer
        log.warn({ task_id: task.id, reason }, 'task given up')
        metrics?.task('given_up')
        const error = describeUnknown(effects) ?? `${GIVEN_UP}${describeDone(effects)}`
        return { kind: 'reply', response: errorResponse(task.id, error) }
      }
      case 'full':
        return { kind: 'full' }
    }
  }

  leave(task: TaskKey): void {
    const key = this.#keyOf(task)
    this.#waiting.delete(key)
    void this.#connection.run('leave', key, { replica: this.#replica })
  }

  async spend(day: string, usd: number): Promise<number | undefined> {
    const key = this.#connection.keyOf(`${this.#options.agentId}:spent:${day}`)
    const answer = await this.#connection.run('spend', key, { amount: Math.round(usd * USD) })
    return answer && answer[1] / USD
  }

  close(): void {
    this.#connection.close()
  }

  /** The answer if Redis gives none: the task is ours, unless its owner was alive a moment ago. */
  #answerAlone(key: string, { mayRun }: ClaimOptions): ScriptAnswer<'claim'> | readonly ['alone'] {
    const leftMs = (this.#waiting.get(key) ?? 0) - performance.now()
    if (leftMs > 0) return ['wait', leftMs]
    return mayRun ? ['alone'] : ['full']
  }

  /** While Redis is unavailable, a line of the connection has said so. */
  #runsAlone({ id: task_id }: TaskKey, reason: string): void {
    this.#options.metrics?.task('run_alone')
    if (this.#connection.availableForMs > 0) this.#alone.change(reason, { task_id })
  }

  #leaseOf(task: TaskKey, claim: Claimed, earlier: Earlier, asking: Asking): RedisLease {
    const { log, metrics, agentDigest, replayTtlMs, journal, mask } = this.#options
    const lossCounts = performance.now() - (this.#servingSince ?? Number.POSITIVE_INFINITY) > STEADY_MS
    const key = this.#keyOf(task)
    const onReply = (counts: boolean) => {
      this.#servingSince ??= performance.now()
      if (counts) return
      // Its new owner was alive a moment ago.
      this.#waiting.set(key, performance.now() + LEASE_MS)
      log.warn({ task_id: task.id }, 'answer refused: another replica has taken the task over')
      metrics?.task('answer_refused')
    }
    return new RedisLease({
      connection: this.#connection,
      key,
      claim,
      agentDigest,
      earlier: earlier.effects,
      earlierSteps: journal === 'on' ? earlier.steps : undefined,
      hasJournal: journal !== 'off',
      mask,
      ...asking,
      replayTtlMs,
      keep: reply => this.#memory.keep(task, reply),
      lossCounts,
      onReply,
      onNotRecorded: reason => log.info({ task_id: task.id, reason }, 'step not recorded'),
      onRival: () =>
        log.error({ task_id: task.id }, 'effects may have happened twice: Redis had lost the task'),
    })
  }

  /** For a run whose task cannot be stored. */
  #unstored(task: TaskKey, signal: AbortSignal, runId: string): Lease {
    return {
      signal,
      journal: unsharedStore({ runId, writeEffect: async () => false }),
      began: () => {},
      deserted: async () => {},
      finish: async reply => {
        this.#memory.keep(task, reply)
        return true
      },
      release: async () => {},
    }
  }

  #keyOf({ id, content }: TaskKey): string {
    return this.#connection.keyOf(`${this.#options.agentId}:${id}:${content}`)
  }
}
