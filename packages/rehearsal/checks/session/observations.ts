import { AsyncLocalStorage } from 'node:async_hooks'
import { Failed } from '../verdicts.ts'
import type { CheckedRun } from './replies.ts'

class Observation {
  readonly isBeside: boolean
  /** Shared work that it looked at, and that it made. */
  readonly shared = new Set<unknown>()
  readonly made = new Set<unknown>()
  seen: CheckedRun[] = []
  /** Every run that it made. */
  readonly ran: CheckedRun[] = []
  /** The run whose traces another one shows. */
  source: CheckedRun | undefined
  how: string | undefined

  constructor(isBeside: boolean) {
    this.isBeside = isBeside
  }
}

/** What each check saw, and the work that several of them share. */
export class Observations {
  readonly #done = new Map<unknown, Promise<unknown>>()
  readonly #doneBeside = new Set<unknown>()
  readonly #observations = new AsyncLocalStorage<Observation>()

  /**
   * Runs a check, which may be beside others.
   *
   * @param isBeside the agent may refuse a run of it for the others, which is then repeated
   * @returns its result; the runs that it made; the command that reproduces it and the number of its last run's record, if there
   *   are any; and what forgets shared work that it made, or that was made beside others, so that another try does it again
   */
  async observe<Result>(check: () => Promise<Result>, isBeside = false) {
    const observation = new Observation(isBeside)
    return await this.#observations.run(observation, async () => {
      const result = await check()
      const { seen, ran, source, how } = observation
      const records = { record: seen.at(-1)?.record, sourceRecord: source?.record }
      return { result, how, seen, ran, ...records, forget: () => this.#forget(observation) }
    })
  }

  get #current(): Observation {
    return this.#observations.getStore() ?? new Observation(false)
  }

  protected get isBeside(): boolean {
    return this.#current.isBeside
  }

  /** The runs of valid tasks that the current check made or looked at. */
  get seen(): CheckedRun[] {
    return this.#current.seen
  }

  set seen(runs: CheckedRun[]) {
    this.#current.seen = runs
  }

  /** Enters a run that the current check made. */
  protected made(run: CheckedRun): void {
    this.#current.seen.push(run)
    this.#current.ran.push(run)
  }

  /** @throws Failed, with the run that shows it */
  failIn(run: CheckedRun, problem: string): never {
    this.seen = [run]
    throw new Failed(problem)
  }

  /** What the current check compares: a run, and the one whose traces it may show. */
  shows(source: CheckedRun, run: CheckedRun): void {
    this.#current.source = source
    this.seen = [source, run]
  }

  /** The command that reproduces the current check; absent: its group's, or the runs that it made or looked at. */
  get how(): string | undefined {
    return this.#current.how
  }

  set how(command: string | undefined) {
    this.#current.how = command
  }

  /** Work that several checks share; each piece is done once. */
  once<Result>(make: (session: this) => Promise<Result>): Promise<Result> {
    const { shared, made, isBeside } = this.#current
    shared.add(make)
    const known = this.#done.get(make) as Promise<Result> | undefined
    if (known) return known
    const result = make(this)
    this.#done.set(make, result)
    made.add(make)
    if (isBeside) this.#doneBeside.add(make)
    return result
  }

  #forget({ shared, made }: Observation): void {
    for (const make of shared) if (this.#doneBeside.delete(make) || made.has(make)) this.#done.delete(make)
  }
}
