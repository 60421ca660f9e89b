import { HTTPException } from 'hono/http-exception'
import type { CheckRun } from '../api.ts'
import type { CheckOptions } from '../checks/options.ts'
import type { Report } from '../report.ts'
import type { Common } from './common.ts'

/** The acceptance checks themselves. */
export type RunChecks = (options: CheckOptions) => Promise<Report>

interface Underway {
  readonly checkId: number
  /** Stops the checks; what is left is reported as not run. */
  readonly stopping: AbortController
  done: Promise<void>
  report?: Report
}

export type Acceptance = ReturnType<typeof acceptance>

/** Runs the acceptance checks, one run at a time per agent, and stores their reports. */
export function acceptance(runChecks: RunChecks, { store: { checks }, clock, onFault }: Common) {
  const underway = new Map<string, Underway>()
  const ending = new AbortController()

  async function run(agentId: string, own: Underway, options: CheckOptions): Promise<void> {
    const signal = AbortSignal.any([ending.signal, own.stopping.signal])
    const onProgress = (report: Report) => {
      own.report = report
    }
    try {
      const ended = new Promise<never>((_resolve, reject) => {
        ending.signal.addEventListener('abort', () => reject(new Error('the platform stopped')), {
          once: true,
        })
      })
      const report = await Promise.race([runChecks({ ...options, signal, onProgress }), ended])
      const cause = own.stopping.signal.aborted ? { cause: 'they were stopped' } : {}
      checks.end(own.checkId, clock.date(), { state: report.verdict ?? 'incomplete', ...cause, report })
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'the checks failed'
      checks.end(own.checkId, clock.date(), { state: 'broken', cause, report: own.report })
    } finally {
      underway.delete(agentId)
    }
  }

  return {
    /**
     * Starts the checks of an agent.
     *
     * @throws {HTTPException} 409 if they are already running
     */
    begin(agentId: string, options: CheckOptions): CheckRun {
      const other = underway.get(agentId)
      if (other !== undefined) {
        const message = `the checks of ${agentId} are already running: number ${other.checkId}`
        throw new HTTPException(409, { message })
      }
      const check = checks.begin(agentId, clock.date())
      const own: Underway = { checkId: check.id, stopping: new AbortController(), done: Promise.resolve() }
      underway.set(agentId, own)
      own.done = run(agentId, own, options).catch(onFault)
      return check
    },

    /** With the report so far. */
    get(id: number): CheckRun | undefined {
      const check = checks.get(id)
      const own = underway.get(check?.agentId ?? '')
      return check && own?.report && own.checkId === id ? { ...check, report: own.report } : check
    },

    list: checks.list,

    /** Stops checks in progress; resolves when their report is stored. */
    async cancel(id: number): Promise<void> {
      const own = [...underway.values()].find(({ checkId }) => checkId === id)
      own?.stopping.abort()
      await own?.done
    },

    /** Aborts running checks; resolves when that is recorded. */
    async stop(): Promise<void> {
      ending.abort()
      await Promise.all([...underway.values()].map(({ done }) => done))
    },
  }
}
