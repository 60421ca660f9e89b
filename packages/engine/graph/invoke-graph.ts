import { setImmediate } from 'node:timers/promises'
import { plainText } from '@agent-task-service/messages/message-text'
import type { GraphTopology } from '@agent-task-service/wire/contract'
import { toText } from '@agent-task-service/wire/untrusted'
import { type AIMessage, type BaseMessage, HumanMessage, type ToolMessage } from '@langchain/core/messages'
import { classifyModelError } from '../failures/classify-error.ts'
import { causesOf, RunFailure, runFailureIn, threadFailure } from '../failures/run-failure.ts'
import { SetupError } from '../failures/setup-error.ts'
import type { StopReason } from '../failures/stop-reason.ts'
import { describeUnknown } from '../journal/call-record.ts'
import type { ContextSchema } from '../run/context.ts'
import { runStartedData } from '../run/events.ts'
import { limitsFor } from '../run/limits.ts'
import { Run, type RunOptions } from '../run/run.ts'
import { expectAnswer, middlewareFailure, type StandIns } from '../run/stand-ins.ts'
import type { Outcome, Task, Trace } from '../run/task.ts'
import { enabledTools, settlementIn } from '../tools/guarded-tools.ts'
import { expectJsonSettings, expectNoThreads } from './check-graph.ts'
import type { AgentGraph, GraphParts } from './graph-parts.ts'
import { topologyOf } from './topology.ts'

const TOO_MANY_SUPERSTEPS =
  'the graph took more supersteps than its limit allows: ten for each of MAX_STEPS and a hundred, or its own recursionLimit if that is lower'

interface Answer {
  readonly text: string
  /** Whether a token cap cut it off. */
  readonly isCut: boolean
}

export interface GraphRunner {
  /** Runs one task. Never throws, and always resolves by the deadline, whatever the model and the tools do. */
  run(task: Task): Promise<Outcome>
  /** Names of the tools available now; those of MCP servers come and go. */
  readonly toolNames: readonly string[]
  /** Absent: it cannot be told. */
  readonly topology?: GraphTopology | undefined
  /** The settings that its tasks may have. */
  readonly context: ContextSchema
}

/**
 * Makes tasks runs of a graph, any number of them at once.
 *
 * @param parts those from which the graph was built
 * @param schema of the settings that its tasks may have
 * @param trace absent: runs are not traced
 * @throws {SetupError} for a graph that cannot be served over HTTP
 *
 * @example
 * const runner = await createGraphRunner(createGraph(parts), parts, AgentContext)
 * const { status, output } = await runner.run({
 *   id: 'test-1',
 *   input: 'What is 15% of 240?',
 *   context: {},
 *   arrivedAt: performance.now(),
 *   signal: new AbortController().signal,
 * })
 */
export async function createGraphRunner(
  graph: AgentGraph,
  parts: GraphParts & Pick<RunOptions, 'exemptions' | 'streamModelInput'>,
  schema: ContextSchema,
  trace?: Trace,
): Promise<GraphRunner> {
  expectNoThreads(graph)
  expectJsonSettings(schema)
  const topology = await topologyOf(graph)
  return {
    context: schema,
    topology,
    get toolNames() {
      return parts.tools.map(({ name }) => name)
    },
    async run(task) {
      const limits = limitsFor(parts.limits, task.context)
      using run = new Run({
        ...task,
        limits,
        priceOf: name => parts.model.priceOf(name),
        exemptions: parts.exemptions,
        streamModelInput: parts.streamModelInput,
      })
      const { signal } = run.controller
      let release: (() => void) | undefined
      try {
        release = await task.admit?.(signal)
        signal.throwIfAborted()
        await run.journal.effects.settle(tool => settlementIn(parts.tools, tool, signal))
        const tools = enabledTools(parts.tools, task.context.enabled_tools).map(({ name }) => name)
        run.callbackHandler.record({ type: 'run_started', data: runStartedData(tools, limits, topology) })
        const answer = await answerOf(graph, task, run, trace?.(task, signal))
        return await conclude(run, answer)
      } catch (thrown) {
        return await conclude(run, failureOf(signal.aborted ? signal.reason : thrown, run))
      } finally {
        release?.()
      }
    },
  }
}

/** Invokes the graph. @throws what the graph throws, or the reason why the run ends before */
async function answerOf(
  graph: AgentGraph,
  { input, context }: Task,
  run: Run,
  { handlers = [], metadata = {} }: Partial<ReturnType<Trace>> = {},
): Promise<Answer> {
  const writer = (data: unknown) => run.callbackHandler.record({ type: 'custom', data: { data } })
  const config = { ...run.config(graph.config, handlers), context, metadata, writer }
  const work = graph.invoke({ messages: [new HumanMessage(input)] }, config)
  // Do not wait for parts that ignore the signal; drop whatever they return later.
  const output = await Promise.race([work, run.controller.aborted])
  const { messages = [], structuredResponse } = (output ?? {}) as {
    readonly messages?: readonly BaseMessage[]
    readonly structuredResponse?: unknown
  }
  const { replies, standIns } = run.callbackHandler
  const message = structuredResponse === undefined ? lastOf(messages, standIns) : undefined
  const text = message ? plainText(message) : toText(structuredResponse)
  if (message?.type === 'ai') expectAnswer(replies.asReported(message as AIMessage), run.limits)
  return { text, isCut: replies.isCut(text, message) }
}

/** @param end the answer, or why there is none */
async function conclude(run: Run, end: Answer | RunFailure): Promise<Outcome> {
  const failure = end instanceof RunFailure ? end : undefined
  // By then a model has told what it had gathered.
  if (failure?.status === 'timeout') await setImmediate()
  const textSoFar = failure?.status === 'timeout' ? run.callbackHandler.textSoFar : ''
  // Another replica that has the task finds out itself.
  const unknownEffects = failure?.reason === 'taken_over' ? [] : run.journal.effects.end(!failure)
  await run.callbackHandler.close(failure)
  const { model, toolsUsed, usage, replayed, cost, wrapUp = 'answer' } = run.meter
  const made = { usage, replayed, cost, model, toolsUsed: [...toolsUsed], unknownEffects }
  const used = { durationMs: run.elapsedMs, ...run.times, liveFrom: run.journal.steps.liveFrom, ...made }
  if (!(end instanceof RunFailure)) {
    const { text: output, isCut: cut } = end
    return { status: 'success', output, stop: cut ? 'max_tokens' : wrapUp, cut, ...used }
  }
  const { status, reason: stop, message, cause = stop === 'refused' ? end : undefined } = end
  const unknown = stop === 'effect_unknown' ? undefined : describeUnknown(unknownEffects)
  const error = [message, shareOfCalls(stop, run), unknown].filter(text => text !== undefined).join('; ')
  return { status, output: textSoFar, stop, error, cause, cut: false, ...used }
}

/** What calls of tools took of a cap that was used up. */
function shareOfCalls(stop: StopReason, { meter }: Run): string | undefined {
  const { callTokens, toolsUsed } = meter
  if (stop !== 'max_tokens' || callTokens === 0) return undefined
  return `calling ${[...toolsUsed].join(', ') || 'tools'} took ${callTokens}`
}

/**
 * @throws what the last message stands for, if LangChain's middleware made it in place of a model's reply
 * @throws {RunFailure} if the last message is the task itself or the error of a tool, or there is none
 */
function lastOf(messages: readonly BaseMessage[], standIns: StandIns): BaseMessage {
  const last = messages.at(-1)
  const cause = last && standIns.causeOf(last)
  if (cause !== undefined) throw cause
  if (last?.type === 'ai' || (last?.type === 'tool' && (last as ToolMessage).status !== 'error')) return last
  throw new RunFailure('empty_answer', 'the graph ended without an answer')
}

/** Turns what the graph threw into a failure whose message the caller may read. */
function failureOf(thrown: unknown, { callbackHandler }: Run): RunFailure {
  const node = callbackHandler.nodes.nodeOf(thrown)
  const caller = node === undefined ? undefined : `the node ${JSON.stringify(node)}`
  const failure = threadFailure(thrown, caller)
  if (failure) return failure
  // The list of models classifies its own errors; a node's own model has only its chat class.
  const isOfModel = causesOf(thrown).some(link => callbackHandler.isModelError(link))
  return isOfModel ? classifyModelError(thrown).failure : toFailure(thrown)
}

function toFailure(thrown: unknown): RunFailure {
  // Parallel nodes may have failed together.
  const errors: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown]
  const failure = errors
    .map(error => runFailureIn(error) ?? middlewareFailure(error))
    .find(found => found !== undefined)
  if (failure) return failure
  const { name } = (thrown ?? {}) as Error
  if (name === 'GraphRecursionError')
    return new RunFailure('max_steps', TOO_MANY_SUPERSTEPS, { cause: thrown })
  // Of what the graph made while it ran, such as a tool that no model would accept.
  const setup = causesOf(thrown).find(link => link instanceof SetupError)
  if (setup) return new RunFailure('internal', setup.message, { cause: thrown })
  return new RunFailure('internal', 'the agent failed', { cause: thrown })
}
