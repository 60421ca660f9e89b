import { isDeepStrictEqual } from 'node:util'
import { isUniqueTaskId, type RunRequest } from '@agent-task-service/wire/contract'
import type { Mask } from '@agent-task-service/wire/masking'
import type { z } from 'zod'
import { RunFailure } from '../failures/run-failure.ts'
import type { GraphRunner } from '../graph/invoke-graph.ts'
import { digestOf } from '../journal/call-keys.ts'
import type { Reply } from '../replies/encode-reply.ts'
import { full } from '../replies/errors.ts'
import type { ContextSchema } from '../run/context.ts'
import { hardDeadlineReached } from '../run/deadline.ts'
import { type RunEvent, runStartedData } from '../run/events.ts'
import { type Limits, limitsFor } from '../run/limits.ts'
import { withTimeLimit } from '../tools/time-limit.ts'
import type { Admission } from './admission.ts'
import { type EventFeed, eventFeed, type StreamListener } from './event-feed.ts'
import type { Claim, Lease, Ledger, TaskKey } from './ledger.ts'
import type { RunTask, Submission } from './run-task.ts'

/** Callers that may wait for one run. They take no places of runs, so without a bound they could take all memory. */
export const MAX_CALLERS = 1_000

/** How a request gets its reply without a run of its own; absent: it has one. */
type Sharing = 'joined' | 'replayed' | undefined

/** What all tasks share. */
export interface TasksOptions {
  readonly runTask: RunTask
  readonly admission: Admission
  readonly ledger: Ledger
  readonly limits: Limits
  readonly mask: Mask
  readonly runner: Pick<GraphRunner, 'context' | 'toolNames' | 'topology'>
}

export interface SubmittedTask {
  readonly response: Promise<Reply>
  readonly sharing: Sharing
}

/** The tasks in flight. Equal requests with the same UUID share one run, which is cancelled when no caller is left. */
export class Tasks {
  readonly #options: TasksOptions
  readonly #runs = new Set<RunInFlight>()

  constructor(options: TasksOptions) {
    this.#options = options
  }

  /** Number of runs in progress, waiting for a slot, or awaited from another replica. */
  get inFlight(): number {
    return this.#runs.size
  }

  /** Callers that wait for a reply. */
  get callers(): number {
    return [...this.#runs].reduce((sum, run) => sum + run.callers, 0)
  }

  /**
   * Runs the task, joins an equal one in flight, or replays an equal one's success.
   *
   * @param watch receives the run's events from now on, after `run_started`
   * @throws {EdgeError} `full` if no more runs, or no more callers of this one, can be accepted
   */
  async submit(submission: Submission, watch?: StreamListener): Promise<SubmittedTask> {
    const { request, signal } = submission
    const { task_id } = request
    const id = task_id.toLowerCase()
    const content = isUniqueTaskId(id) ? digest(request, this.#options.runner.context) : undefined
    const running = content && this.#sameAs(id).findLast(run => run.task.content === content)
    const isJoinable = running && !running.signal.aborted && !running.isSuperseded
    if (isJoinable && running.callers >= MAX_CALLERS) throw full()
    const run = isJoinable ? running : this.#start(submission, id, content)
    // The same object for all who wrote the id alike, so that they share its bytes.
    const response = run
      .join(signal, watch)
      .then(reply => (reply.task_id === task_id ? reply : { ...reply, task_id }))
    // If it is refused, `sharing` rejects as well.
    response.catch(() => undefined)
    const sharing = await run.sharing
    return { response, sharing: run === running ? (sharing ?? 'joined') : sharing }
  }

  /** Resolves when no run is in flight. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.allSettled([...this.#runs].map(run => run.response))
  }

  /** No run in flight waits for a model to come back any more. */
  endWaits(): void {
    this.#options.admission.endWaits()
  }

  /** Ends every run in flight with a `timeout` reply. */
  endAll(): void {
    for (const run of this.#runs) run.end(new RunFailure('shutdown', 'the agent is shutting down'))
  }

  #sameAs(id: string): RunInFlight[] {
    return [...this.#runs].filter(run => run.task.id === id)
  }

  #start(submission: Submission, id: string, content: string | undefined): RunInFlight {
    const run = new RunInFlight(this.#options, submission, { id, content })
    this.#runs.add(run)
    // One that has not begun may turn out to be a replay or refused, so it does not supersede others.
    const supersede = () => {
      if (!run.hasBegun) return
      for (const other of this.#sameAs(id)) if (other !== run && other.hasBegun) other.isSuperseded = true
    }
    const forget = () => this.#runs.delete(run)
    run.sharing.then(supersede, forget)
    run.response.then(forget, forget)
    return run
  }
}

/** One run, here or at another replica, and its callers here. */
class RunInFlight {
  /** The id in lower case, and a digest of the request's body; without one, no other request may join. */
  readonly task: { readonly id: string; readonly content: string | undefined }
  readonly response: Promise<Reply>
  /** Settles once it is known who runs the task. */
  readonly sharing: Promise<Sharing>
  /** Whether it runs, here or elsewhere: it is not a replay and was not refused. */
  hasBegun = false
  /** Whether a run with the same id has begun since. */
  isSuperseded = false
  readonly #options: TasksOptions
  readonly #submission: Submission
  readonly #known = Promise.withResolvers<Sharing>()
  readonly #controller = new AbortController()
  readonly #feed: EventFeed
  /** Set while it runs here and may have callers elsewhere. */
  #lease: Lease | undefined
  #callers = 0

  constructor(options: TasksOptions, submission: Submission, task: RunInFlight['task']) {
    this.#options = options
    this.#submission = submission
    this.task = task
    this.#feed = eventFeed(options.mask)
    this.response = this.#serve()
    this.sharing = Promise.race([this.#known.promise, this.response.then(() => undefined)])
  }

  get callers(): number {
    return this.#callers
  }

  /** Aborts when the run is ended early: by a hang-up, a shutdown or its deadline. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Waits for the run; it is cancelled when the last of its callers hangs up. */
  async join(caller: AbortSignal, watch: StreamListener | undefined): Promise<Reply> {
    this.#callers += 1
    if (watch) this.#feed.add(watch)
    const leave = () => {
      this.#callers -= 1
      if (watch) this.#feed.delete(watch)
      if (this.#callers === 0) void this.#endDeserted()
    }
    if (caller.aborted) leave()
    else caller.addEventListener('abort', leave)
    try {
      return await this.response
    } finally {
      caller.removeEventListener('abort', leave)
      if (watch) this.#feed.delete(watch)
    }
  }

  end(reason: RunFailure): void {
    this.#controller.abort(reason)
  }

  /** Runs the task, or waits for the replica that runs it, until there is a reply. */
  async #serve(): Promise<Reply> {
    const { id, content } = this.task
    if (content === undefined) {
      if (this.#options.admission.isFull) throw full()
      this.#known.resolve(undefined)
      return await this.#runHere(this.signal)
    }
    const task = { id, content }
    for (let isFirst = true; ; isFirst = false) {
      const claim = await this.#claim(task, isFirst)
      if (claim.kind === 'reply') {
        this.#known.resolve(claim.response.status === 'success' ? 'replayed' : undefined)
        return claim.response
      }
      this.hasBegun = true
      this.#known.resolve(claim.kind === 'wait' ? 'joined' : undefined)
      const response =
        claim.kind === 'wait'
          ? await this.#waitForOwner(task, claim.changed)
          : await this.#runAsOwner(task, claim.lease)
      if (response) return response
    }
  }

  /** Milliseconds until the run's deadline; below 0 after it. */
  get #timeLeftMs(): number {
    return this.#submission.arrivedAt + this.#options.limits.timeoutMs - performance.now()
  }

  /** @throws {EdgeError} `full` if this replica can neither run the task nor get it from another one */
  async #claim(task: TaskKey, isFirst: boolean): Promise<Exclude<Claim, { kind: 'full' }>> {
    const { admission, ledger } = this.#options
    // A caller that has waited already has a slot here.
    const mayRun = !isFirst || !admission.isFull
    const claim = await ledger.claim(task, { mayRun, timeLeftMs: this.#timeLeftMs, signal: this.signal })
    if (claim.kind === 'full') throw full()
    if (claim.kind === 'run' && isFirst && admission.isFull) {
      await claim.lease.release()
      throw full()
    }
    return claim
  }

  /** @returns the reply if the run has ended early; `undefined`: there is news */
  async #waitForOwner(task: TaskKey, changed: Promise<void>): Promise<Reply | undefined> {
    const { admission, ledger } = this.#options
    this.#feed.publish(this.#beginningOf(this.#submission.request))
    await admission.countElsewhere(this.#wait(changed))
    if (!this.signal.aborted) return undefined
    ledger.leave(task)
    return await this.#runHere(this.signal)
  }

  /** @returns the reply; `undefined` if another replica has taken the task over and its reply may come in time */
  async #runAsOwner(task: TaskKey, lease: Lease): Promise<Reply | undefined> {
    this.#lease = lease
    const response = await this.#runHere(lease.signal, lease)
    this.#lease = undefined
    const isCutOff = this.signal.aborted && response.status !== 'success'
    if (isCutOff) await lease.release()
    if (isCutOff || (await lease.finish(response))) return response
    if (this.#timeLeftMs >= 0) return undefined
    this.#options.ledger.leave(task)
    return response
  }

  async #runHere(signal: AbortSignal, lease?: Lease): Promise<Reply> {
    const watch = (event: RunEvent) => this.#feed.publish(event)
    return await this.#options.runTask({ ...this.#submission, signal }, watch, lease)
  }

  /** Waits for news about the task or for the end of the run, at the latest at its deadline. */
  async #wait(changed: Promise<void>): Promise<void> {
    const timeoutError = () => hardDeadlineReached(this.#options.limits)
    const end = (reason: RunFailure) => this.end(reason)
    await withTimeLimit(this.signal, Math.max(0, this.#timeLeftMs), () => changed, timeoutError).catch(end)
  }

  /** Of a run at another replica, callers get only this event and the last one. */
  #beginningOf({ config = {} }: RunRequest): RunEvent {
    const { limits, runner } = this.#options
    const tools = runner.toolNames.filter(name => config.enabled_tools?.includes(name) !== false)
    const data = runStartedData(tools, limitsFor(limits, config), runner.topology)
    return { type: 'run_started', at: performance.now(), data }
  }

  async #endDeserted(): Promise<void> {
    await this.#lease?.deserted()
    if (this.#callers === 0) this.end(new RunFailure('hang_up', 'the caller hung up'))
  }
}

/**
 * Two requests with the same id are the same task if this is equal. Covers the input and every setting that is not at its default: one
 * that only a later version of the agent declares makes no other task of a request without it.
 */
function digest({ input, config = {} }: RunRequest, schema: ContextSchema): string {
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape
  const isSet = ([name, value]: [string, unknown]) =>
    !isDeepStrictEqual(value, shape[name]?.safeParse(undefined).data)
  return digestOf([input, Object.fromEntries(Object.entries(config).filter(isSet))])
}
