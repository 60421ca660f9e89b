import type { EndpointQuirks } from '@agent-task-service/openai-compatible'

/** What a model has refused, or says of itself. Each fact changes the requests that follow. */
export interface Facts extends EndpointQuirks {
  /** Largest cap on the tokens of a call. */
  readonly cap?: number
  /** Size of the context in tokens. */
  readonly context?: number
  /** Tokens of the longest conversation that is worth a try, where the size of the context is not told. */
  readonly conversation?: number
}

/** By a tool's definition: offered with the plainest schema, or not at all. */
export type ToolFacts = Readonly<Record<string, 'plain' | 'left_out'>>

/** To learn a fact again costs one refused request; to keep a wrong one costs every run. */
const LIFETIME_MS = 10 * 60_000

interface OfRun<All> {
  readonly facts: Partial<All>
  /** Those of them that may hold for other runs too. */
  readonly general: Partial<All>
  /** Those with which a call has succeeded. */
  readonly confirmed: Partial<All>
}

/**
 * Facts about a model that its refusals have taught. Since the text of a refusal proves nothing, a fact holds in its own
 * run until a call made with it has succeeded, and then in all runs. Ten minutes after the first, all are forgotten.
 */
export class FactsFromRefusals<All extends object> {
  readonly #now: () => number
  #facts: Partial<All> = {}
  #until = 0
  readonly #ofRuns = new WeakMap<object, OfRun<All>>()

  /**
   * @param now monotonic, in milliseconds
   */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get #current(): Partial<All> {
    return this.#now() < this.#until ? this.#facts : {}
  }

  factsFor(run: object): Partial<All> {
    return { ...this.#current, ...this.#ofRuns.get(run)?.facts }
  }

  /**
   * Adds facts that a refusal has taught a run.
   *
   * @param isGeneral whether they may hold for other runs too
   */
  record(run: object, learnt: Partial<All>, isGeneral: boolean): void {
    const { facts, general, confirmed } = this.#ofRun(run)
    this.#ofRuns.set(run, {
      facts: { ...facts, ...learnt },
      general: { ...general, ...(isGeneral && learnt) },
      confirmed,
    })
  }

  /**
   * A call made with these facts has succeeded: those that its run has learnt and that may hold for other runs now do.
   *
   * @returns those that its run has learnt and no call had confirmed before
   */
  confirm(run: object, used: Partial<All>): Partial<All> | undefined {
    const known = this.#ofRun(run)
    const usedOf = (facts: Partial<All>) =>
      Object.fromEntries(
        Object.entries(facts).filter(([name, fact]) => used[name as keyof All] === fact),
      ) as Partial<All>
    const [facts, general] = [usedOf(known.facts), usedOf(known.general)]
    const news = Object.entries(facts).filter(([name, fact]) => known.confirmed[name as keyof All] !== fact)
    if (news.length === 0) return undefined
    this.#ofRuns.set(run, { ...known, confirmed: { ...known.confirmed, ...facts } })
    if (Object.keys(general).length > 0) {
      this.#facts = { ...this.#current, ...general }
      if (this.#now() >= this.#until) this.#until = this.#now() + LIFETIME_MS
    }
    return Object.fromEntries(news) as Partial<All>
  }

  #ofRun(run: object): OfRun<All> {
    return this.#ofRuns.get(run) ?? { facts: {}, general: {}, confirmed: {} }
  }
}
