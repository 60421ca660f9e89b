import { createHash } from 'node:crypto'
import { isUniqueTaskId, type RunRequest, type RunResponse } from '@agent-task-service/contract'
import type { ContextSchema } from '../context.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { full } from '../wire/errors.ts'
import type { WatchStream } from './event-feed.ts'
import { RunInFlight, type RunInFlightParts, type Sharing } from './run-in-flight.ts'
import type { Submission } from './run-task.ts'

/** Callers that may wait for one run. They take no places of runs, so without a bound they could take all memory. */
export const MAX_CALLERS = 1_000

export interface SubmittedTask {
  readonly response: Promise<RunResponse>
  readonly sharing: Sharing
}

/** The tasks in flight. Equal requests with the same UUID share one run, which is cancelled when no caller is left. */
export class Tasks {
  readonly #parts: RunInFlightParts
  readonly #runs = new Set<RunInFlight>()

  constructor(parts: RunInFlightParts) {
    this.#parts = parts
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
  async submit(submission: Submission, watch?: WatchStream): Promise<SubmittedTask> {
    const { request, signal } = submission
    const { task_id } = request
    const id = task_id.toLowerCase()
    const content = isUniqueTaskId(id) ? digest(request, this.#parts.context) : undefined
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

  /** Ends every run in flight with a `timeout` reply. */
  endAll(): void {
    for (const run of this.#runs) run.end(new RunFailure('shutdown', 'the agent is shutting down'))
  }

  #sameAs(id: string): RunInFlight[] {
    return [...this.#runs].filter(run => run.task.id === id)
  }

  #start(submission: Submission, id: string, content: string | undefined): RunInFlight {
    const run = new RunInFlight(this.#parts, submission, { id, content })
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

/** Two requests with the same id are the same task if this is equal. Covers the input and every declared setting. */
function digest({ input, config }: RunRequest, schema: ContextSchema): string {
  const { system_prompt, max_tokens, enabled_tools, ...own } = config ?? schema.parse({})
  const settings = Object.values(own).some(value => value !== undefined) ? [own] : []
  return createHash('sha256')
    .update(JSON.stringify([input, system_prompt, max_tokens, enabled_tools, ...settings]))
    .digest('base64url')
}
