import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { RunEvent, Watch } from '../../graph/run/events.ts'
import { RunFailure } from '../../graph/run/failure.ts'
import { isUniqueTaskId, type RunRequest, type RunResponse } from '../http/contract.ts'
import { EdgeError } from '../http/errors.ts'
import type { RequestTrace } from '../telemetry/run-span.ts'
import type { Admission } from './admission.ts'
import type { RunTask } from './run-task.ts'

/** Most characters of replies kept for replay, all together. */
const MAX_REPLAY_CHARACTERS = 16 * 2 ** 20

export interface TasksOptions {
  readonly runTask: RunTask
  readonly admission: Admission
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
}

/** One caller's request for a task. */
export interface Submission {
  readonly request: RunRequest
  /** `performance.now()` at the arrival of the request. */
  readonly arrivedAt: number
  /** Aborts when the caller hangs up. */
  readonly caller: AbortSignal
  /** Receives the run's events from now on. */
  readonly watch?: Watch | undefined
  /** Where a run that is begun for this request is traced; absent: nowhere. */
  readonly trace?: RequestTrace | undefined
}

export interface Reply {
  readonly response: Promise<RunResponse>
  /** It was given before, to an equal request. */
  readonly replayed: boolean
  /** It is that of a run which was in flight already. */
  readonly joined: boolean
}

interface Finished {
  readonly content: string
  readonly response: RunResponse
}

/** Tasks in flight and just finished: one run for equal requests with the same UUID, cancelled when no caller is left. */
export class Tasks {
  readonly #options: TasksOptions
  /** Runs that a further request may join, by task id. */
  readonly #joinable = new Map<string, RunInFlight>()
  readonly #runs = new Set<RunInFlight>()
  readonly #finished: LRUCache<string, Finished> | undefined

  constructor(options: TasksOptions) {
    this.#options = options
    const { replayTtlMs: ttl } = options
    this.#finished =
      ttl > 0 ? new LRUCache({ ttl, maxSize: MAX_REPLAY_CHARACTERS, sizeCalculation: sizeOf }) : undefined
  }

  /** Runs at work or waiting for their turn. */
  get inFlight(): number {
    return this.#runs.size
  }

  /** Callers that wait for a reply. */
  get callers(): number {
    return [...this.#runs].reduce((sum, run) => sum + run.callers, 0)
  }

  /**
   * Does the task, joins an equal one in flight, or replays an equal one's success.
   *
   * @throws {EdgeError} `full` when no further run can be taken
   */
  submit(submission: Submission): Reply {
    const { request, caller, watch } = submission
    const { task_id: id } = request
    const content = isUniqueTaskId(id) ? digest(request) : undefined
    const finished = content && this.#finished?.get(id)
    if (finished && finished.content === content)
      return { response: Promise.resolve(finished.response), replayed: true, joined: false }
    const running = this.#joinable.get(id)
    const run =
      running && running.content === content && !running.isEnded ? running : this.#start(submission, content)
    return { response: run.join(caller, watch), replayed: false, joined: run === running }
  }

  /** Resolves when no run is in flight. */
  async idle(): Promise<void> {
    while (this.#runs.size > 0) await Promise.allSettled([...this.#runs].map(run => run.response))
  }

  /** Ends every run in flight with a `timeout` reply. */
  endAll(): void {
    for (const run of this.#runs) run.end(new RunFailure('shutdown', 'the agent is shutting down'))
  }

  #start({ request, arrivedAt, trace }: Submission, content: string | undefined): RunInFlight {
    const { runTask, admission } = this.#options
    if (admission.isFull) throw new EdgeError('full', '', { 'Retry-After': '1' })
    const { task_id: id } = request
    const run = new RunInFlight(content, async (signal, watch) => {
      const response = await runTask(request, { arrivedAt, signal, watch, trace })
      if (content && response.status === 'success') this.#finished?.set(id, { content, response })
      return response
    })
    this.#runs.add(run)
    if (content) this.#joinable.set(id, run)
    const forget = () => {
      this.#runs.delete(run)
      if (this.#joinable.get(id) === run) this.#joinable.delete(id)
    }
    run.response.then(forget, forget)
    return run
  }
}

/** One run and those who wait for it. */
class RunInFlight {
  readonly content: string | undefined
  readonly response: Promise<RunResponse>
  readonly #controller = new AbortController()
  readonly #watchers = new Set<Watch>()
  #callers = 0

  constructor(
    content: string | undefined,
    work: (signal: AbortSignal, watch: Watch) => Promise<RunResponse>,
  ) {
    this.content = content
    this.response = work(this.#controller.signal, event => this.#tell(event))
  }

  get callers(): number {
    return this.#callers
  }

  get isEnded(): boolean {
    return this.#controller.signal.aborted
  }

  /** Waits for the run; it is cancelled when the last of its callers hangs up. */
  async join(caller: AbortSignal, watch: Watch | undefined): Promise<RunResponse> {
    this.#callers += 1
    if (watch) this.#watchers.add(watch)
    const leave = () => {
      this.#callers -= 1
      if (watch) this.#watchers.delete(watch)
      if (this.#callers === 0) this.end(new RunFailure('hang_up', 'the caller hung up'))
    }
    if (caller.aborted) leave()
    else caller.addEventListener('abort', leave, { once: true })
    try {
      return await this.response
    } finally {
      caller.removeEventListener('abort', leave)
      if (watch) this.#watchers.delete(watch)
    }
  }

  end(reason: RunFailure): void {
    this.#controller.abort(reason)
  }

  #tell(event: RunEvent): void {
    for (const watch of this.#watchers) watch(event)
  }
}

/** What makes two requests of one id the same task: the members that the interface knows. */
function digest({ input, config = {} }: RunRequest): string {
  const { system_prompt, max_tokens, enabled_tools } = config
  return createHash('sha256')
    .update(JSON.stringify([input, system_prompt, max_tokens, enabled_tools]))
    .digest('base64')
}

function sizeOf({ response }: Finished): number {
  return response.output.length + 500
}
