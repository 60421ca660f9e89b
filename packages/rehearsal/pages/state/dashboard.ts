import { EventSourceParserStream } from 'eventsource-parser/stream'
import { createContext } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import { type AgentView, type RecordedEvent, RUN_HEADER } from '../../api.ts'
import { objectIn } from '../../json.ts'
import { api, describeFailure } from './api-client.ts'
import { advance, beginning, type RunSteps } from './run-steps.ts'
import { readDraft, saveDraft, type TaskFields } from './task.ts'

/** What every view shares. */
export interface Dashboard {
  /** Null until known. */
  readonly agents: readonly AgentView[] | null
  readonly runner: Runner
}

export const DashboardContext = createContext<Dashboard | null>(null)

/** @throws {Error} outside the page */
export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext)
  if (dashboard === null) throw new Error('called outside the page')
  return dashboard
}

/** The latest run started from this page. */
export interface CurrentRun {
  readonly agentId: string
  readonly task: string
  /** In `performance.now()` time. */
  readonly startedAt: number
  readonly endedAt: number | null
  readonly steps: RunSteps
  /** Number of its record; null until the platform assigns one. */
  readonly recordId: number | null
  /** Why there is no record: the platform refused the run or cannot be reached. */
  readonly failure: string | null
}

export type Runner = ReturnType<typeof useRunner>

/** Runs one task at a time; the run continues while other views are open. Holds the form's draft, too. */
export function useRunner() {
  const [draft, setFields] = useState(readDraft)
  const [current, setCurrent] = useState<CurrentRun | null>(null)
  const controller = useRef<AbortController | null>(null)

  /** Starts a run, aborting any run in progress. */
  function start(agentId: string, request: object & { readonly input?: unknown }): void {
    controller.current?.abort()
    const own = new AbortController()
    controller.current = own
    const change = (members: (run: CurrentRun) => Partial<CurrentRun>) => {
      // Ignores updates from a replaced run.
      if (controller.current === own) setCurrent(run => run && { ...run, ...members(run) })
    }
    const begun = { agentId, task: String(request.input), startedAt: performance.now(), steps: beginning }
    setCurrent({ ...begun, endedAt: null, recordId: null, failure: null })
    const follow = async () => {
      const response = await api.run(agentId, request, own.signal)
      const id = response.headers.get(RUN_HEADER)
      if (id === null) throw new Error(await describeFailure(response))
      change(() => ({ recordId: Number(id) }))
      await readEvents(response, event => change(({ steps }) => ({ steps: advance(steps, event) })))
    }
    follow()
      .catch((error: Error) =>
        change(({ recordId }) => ({ failure: recordId === null ? error.message : null })),
      )
      .finally(() => change(() => ({ endedAt: performance.now() })))
  }
  function setDraft(fields: TaskFields): void {
    setFields(fields)
    saveDraft(fields)
  }
  return { current, start, cancel: () => controller.current?.abort(), draft, setDraft }
}

/** Reads a reply to its end; its outcome goes into the record. */
async function readEvents(response: Response, onEvent: (event: RecordedEvent) => void): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (!isStream || response.body === null) return void (await response.text())
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    onEvent({ type: next.value.event ?? 'message', data: objectIn(next.value.data) })
  }
}
