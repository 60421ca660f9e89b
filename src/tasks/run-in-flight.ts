import type { RunEvent, Watch } from '../../graph/run/events.ts'
import { RunFailure } from '../../graph/run/failure.ts'
import type { RunResponse } from '../http/contract.ts'
import type { Lease } from './ledger.ts'

/** How a request gets its reply without a run of its own; absent: it has one. */
export type Sharing = 'joined' | 'replayed' | undefined

/** One run, here or at another replica, and its callers here. */
export class RunInFlight {
  /** Digest of the request's body; absent if no other request may join. */
  readonly content: string | undefined
  readonly response: Promise<RunResponse>
  /** Settles once it is known who runs the task. */
  readonly sharing: Promise<Sharing>
  /** Whether it runs, here or elsewhere: it is not a replay and was not refused. */
  hasBegun = false
  /** Set while it runs here and may have callers elsewhere. */
  lease: Lease | undefined
  readonly #known = Promise.withResolvers<Sharing>()
  readonly #controller = new AbortController()
  readonly #watchers = new Set<Watch>()
  #beginning: RunEvent | undefined
  #callers = 0

  constructor(content: string | undefined, work: (run: RunInFlight) => Promise<RunResponse>) {
    this.content = content
    this.response = work(this)
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
  async join(caller: AbortSignal, watch: Watch | undefined): Promise<RunResponse> {
    this.#callers += 1
    if (watch) this.#watchers.add(watch)
    if (watch && this.#beginning) watch(this.#beginning)
    const leave = () => {
      this.#callers -= 1
      if (watch) this.#watchers.delete(watch)
      if (this.#callers === 0) void this.#endDeserted()
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

  /** Settles `sharing`. */
  know(sharing: Sharing): void {
    this.#known.resolve(sharing)
  }

  /** Passes an event to the watchers. They get only one `run_started`, even if several replicas start the run. */
  readonly tell = (event: RunEvent): void => {
    if (event.type === 'run_started') {
      if (this.#beginning) return
      this.#beginning = event
    }
    for (const watch of this.#watchers) watch(event)
  }

  end(reason: RunFailure): void {
    this.#controller.abort(reason)
  }

  async #endDeserted(): Promise<void> {
    if (this.lease) await this.lease.deserted()
    if (this.#callers === 0) this.end(new RunFailure('hang_up', 'the caller hung up'))
  }
}
