import type { CheckLimits, CheckOptions } from '../options.ts'

/** What lies ahead: runs that the checks make one after the other, and runs of which several are in progress at once. */
export interface Load {
  readonly alone: number
  readonly beside: number
}

type TimeLimits = Pick<CheckLimits, 'leastTotalMs' | 'p95Ms'> & Pick<CheckOptions, 'totalMs'>

/** Pauses between requests, and waiting for the log, in milliseconds. */
const PAUSES_MS = 5_000
/** Runs may be repeated, and some take longer than those before. */
const MARGIN = 2

/**
 * The time for all checks. Unless it is fixed, it grows with the mean time of this agent's runs, to twice what the checks
 * take at that pace.
 */
export class TimeBudget {
  readonly #limits: TimeLimits
  readonly #startedAt = performance.now()
  readonly #over = new AbortController()
  /** Aborts when the time is over. */
  readonly signal: AbortSignal = this.#over.signal
  #timer: NodeJS.Timeout | undefined
  #limitMs = 0
  #load: Load = { alone: 0, beside: 0 }
  #atOnce = 1
  #runs = 0
  #sumMs = 0

  constructor(limits: TimeLimits) {
    this.#limits = limits
    this.#extendTo(limits.totalMs ?? limits.leastTotalMs)
  }

  get isFixed(): boolean {
    return this.#limits.totalMs !== undefined
  }

  /** So far. */
  get limitMs(): number {
    return this.#limitMs
  }

  /**
   * @param atOnce how many runs may be in progress
   * @param load absent: as before
   */
  plan(atOnce: number, load = this.#load): void {
    this.#load = load
    this.#atOnce = atOnce
    this.#grow()
  }

  /** A successful run took this long, as its caller waits. */
  measured(runMs: number): void {
    this.#runs += 1
    this.#sumMs += runMs
    this.#grow()
  }

  /** The mean of the runs so far, in seconds to two digits. */
  get runSeconds(): number {
    return Number((this.#sumMs / this.#runs / 1000).toPrecision(2))
  }

  /** What all checks take, at the mean time of the runs so far; undefined before any has succeeded. */
  get estimateMs(): number | undefined {
    return this.#runs === 0 ? undefined : PAUSES_MS + this.#runMs * this.#turnsOf(this.#load)
  }

  /**
   * Likewise, for what is left of them. Where slow runs keep others waiting, all takes longer than the runs' mean says: the
   * pace is that of the clock so far, if that is slower.
   */
  timeLeft(left: Load): number | undefined {
    const turns = this.#turnsOf(left)
    const made = this.#turnsOf(this.#load) - turns
    const soFarMs = performance.now() - this.#startedAt
    return this.#runs === 0
      ? undefined
      : PAUSES_MS + turns * Math.max(this.#runMs, made < 1 ? 0 : soFarMs / made)
  }

  get #runMs(): number {
    // Nobody waits longer for a run: slower agents fail.
    return Math.min(this.#sumMs / this.#runs, this.#limits.p95Ms)
  }

  /** How many runs take as long, one after the other. */
  #turnsOf({ alone, beside }: Load): number {
    return alone + beside / this.#atOnce
  }

  #grow(): void {
    const { estimateMs } = this
    if (!this.isFixed && estimateMs !== undefined) this.#extendTo(MARGIN * estimateMs)
  }

  #extendTo(limitMs: number): void {
    if (limitMs <= this.#limitMs || this.signal.aborted) return
    this.#limitMs = limitMs
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#over.abort(), this.#startedAt + limitMs - performance.now())
    this.#timer.unref()
  }
}
