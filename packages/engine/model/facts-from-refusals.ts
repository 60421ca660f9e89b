import type { EndpointQuirks } from '@agent-task-service/openai-compatible'

/** What a model has refused, or says of itself. Each fact changes the requests that follow. */
export interface Facts extends EndpointQuirks {
  /** Largest cap on the tokens of a call. */
  readonly cap?: number
  /** Size of the context in tokens. */
  readonly context?: number
  /** Tokens of the longest conversation that is worth a try, where the size of the context is not told. */
  readonly conversation?: number
  /** A tool with this definition is offered with the plainest schema, or not at all. */
  readonly [tool: `tool ${string}`]: 'plain' | 'left_out'
}

/** What a refusal teaches of a model. */
export interface Change {
  readonly facts: Facts
  /** Whether it may hold for other runs too. */
  readonly isGeneral: boolean
}

/** To learn a fact again costs one refused request; to keep a wrong one costs every run. */
const LIFETIME_MS = 10 * 60_000

interface Learnt {
  readonly name: string
  readonly fact: unknown
  /** Whether it may hold for other runs too. */
  readonly isGeneral: boolean
  /** Whether a call made with it has succeeded. */
  isConfirmed: boolean
}

/**
 * Facts about a model that its refusals have taught. Since the text of a refusal proves nothing, a fact holds in its own
 * run until a call made with it has succeeded, and then in all runs. Ten minutes after the first, all are forgotten.
 */
export class FactsFromRefusals {
  #facts: Facts = {}
  /** In `performance.now()` milliseconds. */
  #until = 0
  readonly #ofRuns = new WeakMap<object, Learnt[]>()

  get #current(): Facts {
    return performance.now() < this.#until ? this.#facts : {}
  }

  factsFor(run: object): Facts {
    return { ...this.#current, ...factsIn(this.#ofRuns.get(run)) }
  }

  /**
   * Adds facts that a refusal has taught a run.
   *
   * @param isGeneral whether they may hold for other runs too
   */
  record(run: object, facts: Facts, isGeneral: boolean): void {
    const learnt = Object.entries(facts).map(([name, fact]) => ({
      name,
      fact,
      isGeneral,
      isConfirmed: false,
    }))
    this.#ofRuns.set(run, [...(this.#ofRuns.get(run) ?? []), ...learnt])
  }

  /**
   * A call made with these facts has succeeded: those that its run has learnt and that may hold for other runs now do.
   *
   * @returns those that its run has learnt and no call had confirmed before
   */
  confirm(run: object, used: Facts): Facts {
    const news = (this.#ofRuns.get(run) ?? []).filter(
      ({ name, fact, isConfirmed }) => !isConfirmed && used[name as keyof Facts] === fact,
    )
    for (const learnt of news) learnt.isConfirmed = true
    const general = news.filter(({ isGeneral }) => isGeneral)
    if (general.length > 0) {
      this.#facts = { ...this.#current, ...factsIn(general) }
      if (performance.now() >= this.#until) this.#until = performance.now() + LIFETIME_MS
    }
    return factsIn(news)
  }
}

/** The same fact under each of these names. */
export function factsOf(names: readonly string[], fact: unknown): Facts {
  return Object.fromEntries(names.map(name => [name, fact])) as Facts
}

function factsIn(learnt: readonly Learnt[] = []): Facts {
  return Object.fromEntries(learnt.map(({ name, fact }) => [name, fact])) as Facts
}
