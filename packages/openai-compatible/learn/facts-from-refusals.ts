import { isDeepStrictEqual } from 'node:util'

/** To learn a fact again costs one refused request; to keep a wrong one costs every run. */
const LIFETIME_MS = 10 * 60_000

/**
 * Facts about a model that its refusals have taught. Since the text of a refusal proves nothing, a fact holds in its own
 * run until a call made with it has succeeded, and then in all runs. Ten minutes after the first, all are forgotten.
 */
export class FactsFromRefusals<Facts extends object> {
  readonly #now: () => number
  #facts: Partial<Facts> = {}
  #until = 0
  readonly #ofRuns = new WeakMap<object, Readonly<Record<'facts' | 'general', Partial<Facts>>>>()

  /**
   * @param now monotonic, in milliseconds
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get #current(): Partial<Facts> {
    return this.#now() < this.#until ? this.#facts : {}
  }

  factsFor(run: object): Partial<Facts> {
    return { ...this.#current, ...this.#ofRuns.get(run)?.facts }
  }

  /**
   * Adds facts that a refusal has taught a run.
   *
   * @param isGeneral whether they may hold for other runs too
   */
  record(run: object, facts: Partial<Facts>, isGeneral: boolean): void {
    const known = this.#ofRuns.get(run)
    this.#ofRuns.set(run, {
      facts: { ...known?.facts, ...facts },
      general: { ...known?.general, ...(isGeneral && facts) },
    })
  }

  /**
   * A call made with these facts has succeeded: those that were recorded for this run now hold for all.
   *
   * @returns those that did not hold for all before
   */
  confirm(run: object, used: Partial<Facts>): Partial<Facts> | undefined {
    const { general = {} } = this.#ofRuns.get(run) ?? {}
    const confirmed = Object.entries(general).filter(([name, fact]) => used[name as keyof Facts] === fact)
    const facts = { ...this.#current, ...Object.fromEntries(confirmed) }
    if (isDeepStrictEqual(facts, this.#current)) return undefined
    if (this.#now() >= this.#until) this.#until = this.#now() + LIFETIME_MS
    this.#facts = facts
    return Object.fromEntries(confirmed) as Partial<Facts>
  }
}
