import { HumanMessage } from '@langchain/core/messages'
import { Command } from '@langchain/langgraph/web'
import { describeLimit } from './budget.ts'
import { RunFailure, type StopReason } from './failure.ts'
import { createGraph } from './graph.ts'
import type { LangSmith } from './langsmith.ts'
import { Meter, type ToolFault, type Usage } from './meter.ts'
import { type Watch, WatchedMeter } from './progress.ts'
import { type Account, type AgentParts, limitsFor } from './scope.ts'
import type { RunSettings } from './state.ts'
import { loadTokenizer } from './tokens.ts'
import type { RunTrace } from './trace.ts'
import { Tracer } from './tracer.ts'

/** One task, in plain values. */
export interface Task {
  readonly input: string
  readonly settings: RunSettings
  /** When its request arrived, in `performance.now()` milliseconds: what the deadline counts from. */
  readonly arrivedAt: number
  /** Ends the run from outside; its reason, a RunFailure, says why. */
  readonly signal: AbortSignal
  /** Told of what happens as it happens, the model's text piece by piece; absent: the model is not asked to stream. */
  readonly watch?: Watch | undefined
  /** Told of the model calls and tool calls, each as it begins and as it ends. */
  readonly trace?: RunTrace | undefined
  /** Waits for a place to work, inside the deadline, until the signal aborts; gives back what frees it. */
  place?(signal: AbortSignal): Promise<(() => void) | undefined>
}

/** How a task ended, in plain values. */
export interface Outcome {
  readonly status: 'success' | 'error' | 'timeout'
  readonly output: string
  readonly error?: string
  readonly stop: StopReason
  /** Milliseconds since the request arrived. */
  readonly durationMs: number
  readonly usage: Usage
  /** Name of the model that answered, or was asked last. */
  readonly model: string | undefined
  readonly toolsUsed: readonly string[]
  /** For the log alone. */
  readonly toolFaults: readonly ToolFault[]
  /** What lies behind an error, for the log alone. */
  readonly cause?: unknown
}

export interface Agent {
  /** Does one task; never throws. The outcome comes by the deadline, whatever the model and the tools do. */
  run(task: Task): Promise<Outcome>
  /** Names of the tools that there are now: those of MCP servers come and go. */
  readonly toolNames: readonly string[]
}

/** Supersteps that no run within its step limit can reach: the graph's own limit must never be what ends it. */
export const superstepLimit = (maxSteps: number) => 2 * maxSteps + 10

/**
 * Makes the agent: compiles the graph once, for any number of runs at once.
 *
 * @param langSmith where each run is told of, node by node; absent: nowhere
 */
export function createAgent(parts: AgentParts, langSmith?: LangSmith): Agent {
  const graph = createGraph(parts)
  const { limits } = parts

  async function invoke({ input, settings }: Task, account: Account, end: EndOfRun) {
    end.signal.throwIfAborted()
    const { system_prompt, max_tokens, enabled_tools } = settings
    const messages = [new HumanMessage(input)]
    const work = graph.invoke(
      // Straight to the plan: the edge from START is a superstep of its own, and as dear as a node.
      new Command({ goto: 'plan', update: { messages } }),
      {
        context: { system_prompt, max_tokens, enabled_tools },
        configurable: { __account: account },
        ...(langSmith && { callbacks: [langSmith.tracer()] }),
        recursionLimit: superstepLimit(limits.maxSteps),
      },
    )
    // The end does not wait for parts that ignore the signal: what they come to afterwards is dropped.
    return await Promise.race([work, end.reached])
  }

  return {
    get toolNames() {
      return parts.tools.names
    },
    async run(task) {
      const elapsedMs = () => performance.now() - task.arrivedAt
      const { watch, settings } = task
      using watched = watch && new WatchedMeter(watch, limitsFor(parts, settings), elapsedMs())
      const meter = watched ?? new Meter()
      using end = endOfRun(task.signal, limits.timeoutMs - elapsedMs(), () => {
        return new RunFailure('deadline', `${describeLimit('deadline', limits)} was reached`)
      })
      const tracer = task.trace && new Tracer(task.trace, meter, end.signal)
      const handlers = tracer ? [meter, tracer] : [meter]
      // Not the signal of the invocation: LangGraph would listen to it anew for each superstep and each part of a node.
      const signalFor = () => end.signal
      const account: Account = { meter, handlers, elapsedMs, signalFor, modelsGivenUp: 0, stop: 'answer' }
      const finish = async (
        part: Pick<Outcome, 'status' | 'output' | 'stop' | 'error' | 'cause'>,
      ): Promise<Outcome> => {
        // Nobody waits for the reply of a run whose callers are gone: what the provider has reported will do.
        const usage = part.stop === 'hang_up' ? meter.usage : await meter.settle()
        tracer?.close(part.stop)
        const durationMs = elapsedMs()
        const { model, toolsUsed, toolFaults } = meter
        return { ...part, durationMs, usage, model, toolsUsed: [...toolsUsed], toolFaults }
      }
      const leave = await task.place?.(end.signal)
      watch?.({
        type: 'run_started',
        tools: parts.tools.only(settings.enabled_tools).names,
        limits: limitsFor(parts, settings),
      })
      try {
        const { messages } = await invoke(task, account, end)
        return await finish({ status: 'success', output: messages.at(-1)?.text ?? '', stop: account.stop })
      } catch (thrown) {
        const failure = end.signal.aborted ? end.signal.reason : thrown
        if (!(failure instanceof RunFailure)) {
          return await finish({
            status: 'error',
            output: '',
            stop: 'internal',
            error: 'the agent failed',
            cause: failure,
          })
        }
        const { reason: stop, message: error, cause } = failure
        if (stop !== 'deadline' && stop !== 'shutdown')
          return await finish({ status: 'error', output: '', stop, error, cause })
        return await finish({ status: 'timeout', output: meter.openText, stop, error })
      } finally {
        leave?.()
      }
    },
  }
}

interface EndOfRun extends Disposable {
  readonly signal: AbortSignal
  /** Rejects when the signal aborts. */
  readonly reached: Promise<never>
}

/** One signal for the run: it aborts with the caller's signal or when the time is over, whichever comes first. */
function endOfRun(caller: AbortSignal, timeLeftMs: number, overtime: () => RunFailure): EndOfRun {
  const controller = new AbortController()
  const { signal } = controller
  const follow = () => controller.abort(caller.reason)
  if (caller.aborted) follow()
  else caller.addEventListener('abort', follow, { once: true })
  const deadline = setTimeout(() => controller.abort(overtime()), Math.max(0, timeLeftMs))
  // A run that times out is counted by the tokenizer: it must be there by then.
  const halfway = setTimeout(() => void loadTokenizer(), Math.max(0, timeLeftMs / 2))
  const reached = new Promise<never>((_, reject) => {
    const end = () => reject(signal.reason)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
  reached.catch(() => undefined)
  return {
    signal,
    reached,
    [Symbol.dispose]() {
      clearTimeout(deadline)
      clearTimeout(halfway)
      caller.removeEventListener('abort', follow)
    },
  }
}
