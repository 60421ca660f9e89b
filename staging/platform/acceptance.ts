import type { CheckRun } from '../api.ts'
import type { CheckOptions } from '../checks/run-checks.ts'
import type { Clock } from '../clock.ts'
import type { Report } from '../report.ts'
import type { CheckLog } from '../store/check-log.ts'
import { Problem } from './problem.ts'

/** The acceptance checks themselves. */
export type RunChecks = (options: CheckOptions) => Promise<Report>

interface Underway {
  readonly checkId: number
  readonly done: Promise<void>
  report: Report | undefined
}

/** Runs the acceptance checks, once at a time for each agent, and keeps their reports. */
export class Acceptance {
  readonly #runChecks: RunChecks
  readonly #log: CheckLog
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #underway = new Map<string, Underway>()
  readonly #ending = new AbortController()

  /** @param onFault hears of an end that could not be recorded */
  constructor(runChecks: RunChecks, log: CheckLog, clock: Clock, onFault: (error: unknown) => void) {
    this.#runChecks = runChecks
    this.#log = log
    this.#clock = clock
    this.#onFault = onFault
  }

  /**
   * Begins the checks of an agent.
   *
   * @throws {Problem} 409 where they are under way
   */
  begin(agentId: string, options: CheckOptions): CheckRun {
    const other = this.#underway.get(agentId)
    if (other !== undefined) {
      throw new Problem(409, `expected no checks of ${agentId} under way, got number ${other.checkId}`)
    }
    const check = this.#log.begin(agentId, this.#clock.date())
    const underway: Underway = {
      checkId: check.id,
      done: this.#run(agentId, check.id, options).catch(this.#onFault),
      report: undefined,
    }
    this.#underway.set(agentId, underway)
    return check
  }

  /** With the report as far as it is. */
  get(id: number): CheckRun | undefined {
    const check = this.#log.get(id)
    if (check === undefined) return undefined
    const underway = this.#underway.get(check.agentId)
    return underway?.checkId === id && underway.report !== undefined
      ? { ...check, report: underway.report }
      : check
  }

  list(agentId: string): CheckRun[] {
    return this.#log.list(agentId)
  }

  /** Breaks off what is under way; resolves when that is on record. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all([...this.#underway.values()].map(({ done }) => done))
  }

  async #run(agentId: string, id: number, options: CheckOptions): Promise<void> {
    const { signal } = this.#ending
    // Not before `begin` has noted it.
    await undefined
    const onProgress = (report: Report) => {
      const underway = this.#underway.get(agentId)
      if (underway !== undefined) underway.report = report
    }
    try {
      const ended = new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the platform ended')), { once: true })
      })
      const report = await Promise.race([this.#runChecks({ ...options, signal, onProgress }), ended])
      this.#log.end(id, this.#clock.date(), { state: report.verdict ?? 'incomplete', report })
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'the checks failed'
      const { report } = this.#underway.get(agentId) ?? {}
      this.#log.end(id, this.#clock.date(), { state: 'broken', cause, report })
    } finally {
      this.#underway.delete(agentId)
    }
  }
}
