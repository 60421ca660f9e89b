import { maskedCopies } from '@agent-task-service/wire/masking'
import type { NewTokenIndices } from '@langchain/core/callbacks/base'
import { awaitAllCallbacks } from '@langchain/core/callbacks/promises'
import type { Run } from '@langchain/core/tracers/base'
import { LangChainTracer, type LangChainTracerFields } from '@langchain/core/tracers/tracer_langchain'
import { Client, RunTree } from 'langsmith'
import type { ObserveHost } from '../agent/observe.ts'
import type { LangSmithSettings } from '../config/langsmith.ts'
import { RunFailure } from '../failures/run-failure.ts'
import { LEFT_OUT } from '../langchain-cost/untraced.ts'
import type { Trace } from '../run/task.ts'

interface LangSmithOptions extends Pick<ObserveHost, 'agent' | 'mask' | 'onDelivery'> {
  readonly settings: LangSmithSettings
}

export type LangSmith = ReturnType<typeof createLangSmith>

/** The client's default is 1 GB, which it would fill while LangSmith is down. */
const MAX_WAITING_BYTES = 32 * 2 ** 20
const TIMEOUT_MS = 10_000
const MAX_RETRIES = 2
/** How long the start of a node or call waits for its end, to be sent with it, in milliseconds. */
const START_WAITS_MS = 1_000

/** By this, LangChain marks a node or call that is sent as a whole, at its end. */
const SENT_AS_WHOLE = 'lc_defers_inputs'

type RunCreate = Parameters<Client['createRun']>[0]

/**
 * Sends runs to LangSmith in the background: every node, model call and tool call, with its input and output. LangChain would do so
 * itself if its variables are set, but without masking or bounds; it skips runs that already have such a tracer.
 */
export function createLangSmith({ settings, agent, mask, onDelivery }: LangSmithOptions) {
  const { LANGSMITH_API_KEY: apiKey, LANGSMITH_TRACING_SAMPLING_RATE: samplingRate } = settings
  const client = new Client({
    apiUrl: settings.LANGSMITH_ENDPOINT,
    ...(apiKey !== undefined && { apiKey }),
    // A run is left out below, as a whole. The client would sample what is left again, by the variable.
    tracingSamplingRate: 1,
    // It would add that rate, and variables of the environment, to what is masked already.
    omitTracedRuntimeInfo: true,
    tracingMode: 'langsmith',
    // Debug output would go to the console, which belongs to the log.
    debug: false,
    timeout_ms: TIMEOUT_MS,
    maxIngestMemoryBytes: MAX_WAITING_BYTES,
    callerOptions: { maxRetries: MAX_RETRIES },
    fetchImplementation: observedFetch(onDelivery),
  })
  const starts = new WaitingStarts()
  const rate = samplingRate !== undefined && { ls_tracing_sample_rate: samplingRate }
  const trace: Trace = ({ id }, end) => {
    if (Math.random() >= (samplingRate ?? 1)) return { handlers: [LEFT_OUT], metadata: {} }
    const masked = maskedCopies(mask)
    const tracer = new RunTracer(starts, {
      projectName: settings.LANGSMITH_PROJECT,
      client: {
        createRun: run => client.createRun(masked(withStatus(unmarked(run), end))),
        updateRun: (runId, run) => client.updateRun(runId, masked(withStatus(run, end))),
      },
    })
    return {
      handlers: [tracer],
      metadata: { task_id: id, agent_id: agent.id, agent_name: agent.name, ...rate },
    }
  }
  return {
    trace,
    /** Resolves when everything recorded is delivered or given up. */
    async flush() {
      await awaitAllCallbacks()
      await starts.send()
      await client.awaitPendingTraceBatches()
    },
  }
}

/** LangChain's tracer, but most nodes and calls are sent once, when they have ended, in place of twice. */
class RunTracer extends LangChainTracer {
  readonly #starts: WaitingStarts

  constructor(starts: WaitingStarts, fields: LangChainTracerFields) {
    super(fields)
    this.#starts = starts
  }

  /** LangChain gives calls of models a copy of their tracer. */
  override copyWithTracingConfig(config: Parameters<LangChainTracer['copyWithTracingConfig']>[0]): RunTracer {
    const { tracingMetadata: metadata, tracingTags: tags } = super.copyWithTracingConfig(config)
    const copy = new RunTracer(this.#starts, { ...this.fields, ...(metadata && { metadata }), tags })
    copy.runTreeMap = this.runTreeMap
    return copy
  }

  /** Nothing reads the children, but LangChain would copy all of them with each further child. */
  protected override _addChildRun(): void {}

  /** The same tree as LangChain's, copied: its constructor, called several times for each node, is far slower. */
  override getRunTreeWithTracingConfig(id: string): RunTree | undefined {
    const tree = this.runTreeMap.get(id)
    if (!tree) return undefined
    const { client, projectName: project_name } = this
    return Object.assign(Object.create(RunTree.prototype), tree, {
      client,
      project_name,
      tracingEnabled: true,
    })
  }

  override async onRunCreate(run: Run): Promise<void> {
    this.#starts.add(run.id, () => super.onRunCreate(run))
  }

  override async onRunUpdate(run: Run): Promise<void> {
    if (this.#starts.remove(run.id)) run.extra = { ...run.extra, [SENT_AS_WHOLE]: true }
    await super.onRunUpdate(run)
  }

  /** Without the text and the chunk: the client leaves them out, and the tracer would keep all of a stream until its end. */
  override async handleLLMNewToken(_token: string, index: NewTokenIndices, runId: string): Promise<Run> {
    return await super.handleLLMNewToken('', index, runId)
  }
}

/** The starts of nodes and calls in progress that LangSmith does not know yet. */
class WaitingStarts {
  #waiting = new Map<string, () => Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  add(id: string, send: () => Promise<void>): void {
    this.#waiting.set(id, send)
    this.#timer ??= setTimeout(() => void this.send(), START_WAITS_MS).unref()
  }

  /** Whether it still waited. */
  remove(id: string): boolean {
    return this.#waiting.delete(id)
  }

  async send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    await Promise.allSettled(waiting.map(send => send()))
  }
}

function unmarked(run: RunCreate): RunCreate {
  const { [SENT_AS_WHOLE]: _, ...extra } = run.extra ?? {}
  return { ...run, extra }
}

/** Adds the reply's status to the metadata of a trace's root, once it has ended. */
function withStatus<Sent extends RunCreate | Parameters<Client['updateRun']>[1]>(
  run: Sent,
  end: AbortSignal,
): Sent {
  if (run.parent_run_id || run.end_time === undefined) return run
  const isTimeout = end.reason instanceof RunFailure && end.reason.status === 'timeout'
  const status = isTimeout ? 'timeout' : run.error ? 'error' : 'success'
  return { ...run, extra: { ...run.extra, metadata: { ...run.extra?.metadata, status } } }
}

function observedFetch(onDelivery: LangSmithOptions['onDelivery']): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, await inOnePiece(init))
      onDelivery(response.ok ? undefined : { status: response.status })
      return response
    } catch (error) {
      onDelivery(error)
      throw error
    }
  }
}

/** With all of a body that would otherwise be written to the socket in hundreds of pieces. */
async function inOnePiece(init: RequestInit | undefined): Promise<RequestInit | undefined> {
  if (!(init?.body instanceof ReadableStream)) return init
  return { ...init, body: await new Response(init.body).bytes() }
}
