import { createHash } from 'node:crypto'
import { describeLimit, type Limits } from '../../graph/run/budget.ts'
import type { RunEvent, Watch } from '../../graph/run/events.ts'
import { RunFailure } from '../../graph/run/failure.ts'
import { isUniqueTaskId, type RunRequest, type RunResponse } from '../http/contract.ts'
import { EdgeError } from '../http/errors.ts'
import type { RequestTrace } from '../telemetry/run-span.ts'
import type { Admission } from './admission.ts'
import type { Claim, Lease, Ledger } from './ledger.ts'
import { RunInFlight, type Sharing } from './run-in-flight.ts'
import type { RunTask } from './run-task.ts'

export interface TasksOptions {
  readonly runTask: RunTask
  readonly admission: Admission
  readonly ledger: Ledger
  readonly limits: Limits
  /** Names of the tools available now. */
  toolNames(): readonly string[]
}

/** One caller's request for a task. */
export interface Submission {
  readonly request: RunRequest
  /** `performance.now()` when the request arrived. */
  readonly arrivedAt: number
  /** Aborts when the caller hangs up. */
  readonly caller: AbortSignal
  /** Receives `run_started`, and the run's events from now on. */
  readonly watch?: Watch | undefined
  /** Traces a run started for this request; absent: it is not traced. */
  readonly trace?: RequestTrace | undefined
}

export interface Reply {
  readonly response: Promise<RunResponse>
  /** Whether an equal request already got it, or its run was already in flight, here or elsewhere. */
  readonly sharing: Sharing
}

/** The tasks in flight. Equal requests with the same UUID share one run, which is cancelled when no caller is left. */
export class Tasks {
  readonly #options: TasksOptions
  /** Runs that an equal request may join, by task id and body. */
  readonly #joinable = new Map<string, RunInFlight>()
  /** The latest run to start for each task id. If it has another body, earlier runs can no longer be joined. */
  readonly #latest = new Map<string, RunInFlight>()
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
   * @throws {EdgeError} `full` if no more runs can be accepted
   */
  async submit(submission: Submission): Promise<Reply> {
    const { request, caller, watch } = submission
    const { task_id } = request
    const id = task_id.toLowerCase()
    const content = isUniqueTaskId(id) ? digest(request) : undefined
    const running = content && this.#joinable.get(`${id} ${content}`)
    const isJoinable = running && !running.signal.aborted && this.#isLatest(id, running)
    const run = isJoinable ? running : this.#start(submission, id, content)
    const response = run.join(caller, watch).then(reply => ({ ...reply, task_id }))
    // If it is refused, `sharing` rejects as well.
    response.catch(() => undefined)
    const sharing = await run.sharing
    return { response, sharing: run === running ? (sharing ?? 'joined') : sharing }
  }

  /** Resolves when no run is in flight. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.allSettled([...this.#runs].map(run => run.response))
  }

  /** Ends every run in flight with a `timeout` reply. */
  endAll(): void {
    for (const run of this.#runs) run.end(new RunFailure('shutdown', 'the agent is shutting down'))
  }

  /** A run that has not begun may turn out to be a replay or refused, so it does not supersede others. */
  #isLatest(id: string, run: RunInFlight): boolean {
    return !run.hasBegun || this.#latest.get(id) === run
  }

  #start(submission: Submission, id: string, content: string | undefined): RunInFlight {
    const run = new RunInFlight(content, run => this.#serve(run, submission, id))
    const key = `${id} ${content}`
    this.#runs.add(run)
    if (content) this.#joinable.set(key, run)
    const forget = () => {
      this.#runs.delete(run)
      if (this.#joinable.get(key) === run) this.#joinable.delete(key)
      if (this.#latest.get(id) === run) this.#latest.delete(id)
    }
    run.response.then(forget, forget)
    return run
  }

  /** Runs the task, or waits for the replica that runs it, until there is a reply. */
  async #serve(run: RunInFlight, submission: Submission, id: string): Promise<RunResponse> {
    const { runTask, admission, ledger, limits } = this.#options
    const { request, arrivedAt, trace } = submission
    const begin = (signal: AbortSignal, lease?: Lease) =>
      runTask(request, { arrivedAt, signal, watch: run.tell, trace, lease })
    const { content } = run
    if (content === undefined) {
      if (admission.isFull) throw full()
      run.know(undefined)
      return await begin(run.signal)
    }
    const task = { id, content }
    for (let isFirst = true; ; isFirst = false) {
      const timeLeftMs = arrivedAt + limits.timeoutMs - performance.now()
      // A caller that has waited already has a slot here.
      const mayRun = !isFirst || !admission.isFull
      const claim = await ledger.claim(task, { mayRun, timeLeftMs, signal: run.signal })
      if (claim.kind === 'full') throw full()
      if (claim.kind === 'run' && isFirst && admission.isFull) {
        await claim.lease.release()
        throw full()
      }
      if (claim.kind === 'reply') {
        run.know(claim.response.status === 'success' ? 'replayed' : undefined)
        return claim.response
      }
      run.know(claim.kind === 'wait' ? 'joined' : undefined)
      run.hasBegun = true
      this.#latest.set(id, run)
      if (claim.kind === 'wait') {
        run.tell(this.#beginningOf(request))
        await admission.countElsewhere(this.#wait(run, claim, timeLeftMs))
        if (!run.signal.aborted) continue
        ledger.leave(task)
        return await begin(run.signal)
      }
      const { lease } = claim
      run.lease = lease
      const response = await begin(lease.signal, lease)
      run.lease = undefined
      const isCutOff = run.signal.aborted && response.status !== 'success'
      if (isCutOff) await lease.release()
      if (isCutOff || (await lease.finish(response))) return response
      if (performance.now() > arrivedAt + limits.timeoutMs) return response
    }
  }

  /** Waits for news about the task or for the end of the run, at the latest at its deadline. */
  async #wait(run: RunInFlight, { changed }: Claim & { kind: 'wait' }, timeLeftMs: number): Promise<void> {
    const { limits } = this.#options
    const overtime = () =>
      run.end(new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`))
    const timer = setTimeout(overtime, Math.max(0, timeLeftMs))
    const ended = Promise.withResolvers<void>()
    run.signal.addEventListener('abort', () => ended.resolve(), { once: true })
    if (!run.signal.aborted) await Promise.race([changed, ended.promise])
    clearTimeout(timer)
  }

  /** Of a run at another replica, callers get only this event and the last one. */
  #beginningOf({ config = {} }: RunRequest): RunEvent {
    const { limits, toolNames } = this.#options
    const tools = toolNames().filter(name => config.enabled_tools?.includes(name) !== false)
    const maxOutputTokens = config.max_tokens ?? limits.maxOutputTokens
    return { type: 'run_started', at: performance.now(), tools, limits: { ...limits, maxOutputTokens } }
  }
}

function full(): EdgeError {
  return new EdgeError('full', '', { 'Retry-After': '1' })
}

/** Two requests with the same id are the same task if this is equal. Covers the members that the interface defines. */
function digest({ input, config = {} }: RunRequest): string {
  const { system_prompt, max_tokens, enabled_tools } = config
  return createHash('sha256')
    .update(JSON.stringify([input, system_prompt, max_tokens, enabled_tools]))
    .digest('base64url')
}
