import { EventSourceParserStream } from 'eventsource-parser/stream'
import { useCallback, useRef, useState } from 'preact/hooks'
import { RUN_HEADER } from '../../api.ts'
import { objectIn } from '../../json.ts'
import { type Api, describeFailure } from './api-client.ts'
import { advance, beginning, type RunSteps } from './run-steps.ts'

/** The run that this page has made last. */
export interface CurrentRun {
  readonly agentId: string
  readonly task: string
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly endedAt: number | null
  readonly steps: RunSteps
  /** Which record it has; null until the platform says so. */
  readonly recordId: number | null
  /** Why there is no record: the platform did not take it, or cannot be reached. */
  readonly failure: string | null
}

export interface Runner {
  readonly current: CurrentRun | null
  /** Begins a run, in place of one that is under way. */
  readonly start: (agentId: string, request: object & { readonly input?: unknown }) => void
  readonly cancel: () => void
}

/** One run at a time, which goes on while other views are looked at. */
export function useRunner(api: Api): Runner {
  const [current, setCurrent] = useState<CurrentRun | null>(null)
  const controller = useRef<AbortController | null>(null)

  const start = useCallback<Runner['start']>(
    (agentId, request) => {
      controller.current?.abort()
      const own = new AbortController()
      controller.current = own
      const change = (members: (run: CurrentRun) => Partial<CurrentRun>) => {
        // A run that another has replaced has nothing to say any more.
        if (controller.current === own) setCurrent(run => run && { ...run, ...members(run) })
      }
      const startedAt = performance.now()
      const task = String(request.input)
      setCurrent({
        ...{ agentId, task, startedAt, endedAt: null, steps: beginning, recordId: null, failure: null },
      })
      const follow = async () => {
        const response = await api.run(agentId, request, own.signal)
        const id = response.headers.get(RUN_HEADER)
        if (id === null) throw new Error(await describeFailure(response))
        change(() => ({ recordId: Number(id) }))
        await readEvents(response, (type, data) =>
          change(({ steps }) => ({ steps: advance(steps, { type, data }) })),
        )
      }
      follow()
        .catch((error: Error) =>
          change(({ recordId }) => ({ failure: recordId === null ? error.message : null })),
        )
        .finally(() => change(() => ({ endedAt: performance.now() })))
    },
    [api],
  )
  const cancel = useCallback(() => controller.current?.abort(), [])
  return { current, start, cancel }
}

/** Reads an answer to its end: what it comes to is on record. */
async function readEvents(
  response: Response,
  onEvent: (type: string, data: Readonly<Record<string, unknown>>) => void,
): Promise<void> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (!isStream || response.body === null) return void (await response.text())
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  const reader = events.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    onEvent(read.value.event ?? 'message', objectIn(read.value.data))
  }
}
