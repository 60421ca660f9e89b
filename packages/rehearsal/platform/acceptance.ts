import { HTTPException } from 'hono/http-exception'
import type { CheckRun } from '../api.ts'
import type { CheckOptions } from '../checks/options.ts'
import type { Report } from '../report.ts'
import type { Common } from './common.ts'

/** The acceptance checks themselves. */
export type RunChecks = (options: CheckOptions) => Promise<Report>

interface Underway {
  readonly checkId: number
  /** Stops the checks, for a reason in words; what is left is reported as not run. */
  readonly stopping: AbortController
  done: Promise<void>
  report?: Report
}

export type Acceptance = ReturnType<typeof acceptance>

/** Runs the acceptance checks, one run at a time per agent, and stores their reports. */
export function acceptance(runChecks: RunChecks, { store: { checks }, onFault }: Common) {
  const underway = new Map<string, Underway>()

  async function run(agentId: string, own: Underway, options: CheckOptions): Promise<void> {
    const { signal } = own.stopping
    const onProgress = (report: Report) => {
      own.report = report
    }
    try {
      const report = await runChecks({ ...options, signal, onProgress })
      const cause = signal.aborted ? String(signal.reason) : undefined
      checks.end(own.checkId, new Date(), { state: report.verdict ?? 'incomplete', cause, report })
    } catch (error) {
      const cause = error instanceof Error ? error.message : 'the checks failed'
      checks.end(own.checkId, new Date(), { state: 'broken', cause, report: own.report })
    } finally {
      underway.delete(agentId)
    }
  }

  async function stop(stopped: Underway[], why: string): Promise<void> {
    for (const { stopping } of stopped) stopping.abort(why)
    await Promise.all(stopped.map(({ done }) => done))
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
      const check = checks.begin(agentId, new Date())
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

    /** Number of an agent's checks in progress. */
    idOf: (agentId: string) => underway.get(agentId)?.checkId ?? null,

    /** Stops checks in progress; resolves when their report is stored. */
    cancel: (id: number) =>
      stop(
        [...underway.values()].filter(({ checkId }) => checkId === id),
        'they were stopped',
      ),

    /** Stops all checks; resolves when their reports are stored. */
    stop: () => stop([...underway.values()], 'the platform stopped'),
  }
}
