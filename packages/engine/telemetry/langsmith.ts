import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import { Client } from 'langsmith'
import { RunFailure } from '../failures/run-failure.ts'
import type { Trace } from '../run/task.ts'
import type { TelemetrySettings } from './settings.ts'

export interface LangSmithOptions {
  readonly settings: TelemetrySettings
  readonly agent: { readonly id: string; readonly name: string }
  /** Masks whatever must not leave the process. */
  readonly mask: (text: string) => string
  /** Called after each delivery, with the error if it failed. */
  readonly onDelivery: (fault?: unknown) => void
}

/** Traces runs to LangSmith: every node, model call and tool call, with its input and output. */
export interface LangSmith {
  readonly trace: Trace
  /** Resolves when everything recorded is delivered or given up. */
  flush(): Promise<void>
}

/** The client's default is 1 GB, which it would fill while LangSmith is down. */
const MAX_WAITING_BYTES = 32 * 2 ** 20
const TIMEOUT_MS = 10_000
const MAX_RETRIES = 2

/**
 * Sends runs to LangSmith in the background. LangChain would do so itself if its variables are set, but without masking
 * or bounds; it skips runs that already have such a tracer.
 */
export function createLangSmith({ settings, agent, mask, onDelivery }: LangSmithOptions): LangSmith {
  const { LANGSMITH_API_KEY: apiKey, LANGSMITH_TRACING_SAMPLING_RATE: samplingRate } = settings
  const client = new Client({
    apiUrl: settings.LANGSMITH_ENDPOINT,
    ...(apiKey !== undefined && { apiKey }),
    ...(samplingRate !== undefined && { tracingSamplingRate: samplingRate }),
    tracingMode: 'langsmith',
    // Debug output would go to the console, which belongs to the log.
    debug: false,
    timeout_ms: TIMEOUT_MS,
    maxIngestMemoryBytes: MAX_WAITING_BYTES,
    callerOptions: { maxRetries: MAX_RETRIES },
    fetchImplementation: observedFetch(onDelivery),
  })
  return {
    trace({ id }, end) {
      const metadata = { task_id: id, agent_id: agent.id, agent_name: agent.name }
      const tracer = new LangChainTracer({
        projectName: settings.LANGSMITH_PROJECT,
        client: {
          createRun: run => client.createRun(maskedCopy(run, mask)),
          updateRun: (runId, run) => client.updateRun(runId, maskedCopy(withStatus(run, end), mask)),
        },
      })
      return { handlers: [tracer], metadata }
    },
    async flush() {
      await awaitAllCallbacks()
      await client.awaitPendingTraceBatches()
    },
  }
}

type RunUpdate = Parameters<Client['updateRun']>[1]

/** Adds the reply's status to the metadata of a trace's root. */
function withStatus(run: RunUpdate, end: AbortSignal): RunUpdate {
  if (run.parent_run_id) return run
  const isTimeout = end.reason instanceof RunFailure && end.reason.status === 'timeout'
  const status = isTimeout ? 'timeout' : run.error ? 'error' : 'success'
  return { ...run, extra: { ...run.extra, metadata: { ...run.extra?.metadata, status } } }
}

/** The run as the LangSmith client would serialise it, with secrets masked. */
function maskedCopy<Run extends object>(run: Run, mask: (text: string) => string): Run {
  return JSON.parse(JSON.stringify(run), (_key, value) => (typeof value === 'string' ? mask(value) : value))
}

function observedFetch(onDelivery: LangSmithOptions['onDelivery']): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init)
      onDelivery(response.ok ? undefined : { status: response.status })
      return response
    } catch (error) {
      onDelivery(error)
      throw error
    }
  }
}
