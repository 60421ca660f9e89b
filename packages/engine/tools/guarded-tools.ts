import {
  type ArgumentsSchema,
  normalizeArguments,
  withPlainIntegers,
} from '@agent-task-service/messages/arguments'
import { isWrittenId } from '@agent-task-service/messages/written-call'
import { truncateWithNote } from '@agent-task-service/wire/untrusted'
import type { CallbackManagerForToolRun } from '@langchain/core/callbacks/manager'
import { isDirectToolOutput } from '@langchain/core/messages/tool'
import type { StructuredToolInterface, ToolRunnableConfig } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isCommand, isGraphBubbleUp } from '@langchain/langgraph'
import { z } from 'zod'
import { threadFailure } from '../failures/run-failure.ts'
import { SetupError } from '../failures/setup-error.ts'
import {
  isOutcomeKnown,
  notEnabled,
  ToolError,
  ToolFault,
  ToolRefusal,
  ToolTimeout,
} from '../failures/tool-error.ts'
import type { Call, Settlement } from '../journal/call.ts'
import { callDigest } from '../journal/call-keys.ts'
import { isGenerator } from '../journal/call-record.ts'
import { callOf, type KeyedCall, withCall } from '../journal/idempotency-key.ts'
import { Journal } from '../journal/journal.ts'
import { surroundingCall } from '../run/budget-enforcer.ts'
import { type ContextConfig, RunContext, readContext } from '../run/context.ts'
import { type Run, runOf } from '../run/run.ts'
import { declaresHints, GUARDED, hintMeantBy, hintsOf, SERVER, type ToolHints } from '../run/tool-hints.ts'
import { resultOf, resultRecord } from './recorded-result.ts'
import { withTimeLimit } from './time-limit.ts'

/** For tools without `metadata.timeLimitMs`. Leaves the model a third of the 30 s that most runs have. */
const DEFAULT_TIME_LIMIT_MS = 20_000
/** Longest delay that Node's timers support, in milliseconds. */
const LONGEST_TIME_LIMIT_MS = 2 ** 31 - 1
/** Longest result handed to the model, in characters. */
const MAX_RESULT_LENGTH = 20_000

/** The guard of each tool, and its rules; also by the guard itself. */
const guards = new WeakMap<object, { readonly guard: StructuredToolInterface; readonly rules: Rules }>()

/** The group of the tools that have no server. */
const AGENT = 'agent'

/** The key of a call's config for what holds for it as it was when it was made: it may have to wait. */
const MADE = Symbol('made')

interface CallConfig extends ToolRunnableConfig {
  readonly [MADE]?: {
    readonly hadReadWeb: boolean
    /** Of the journal. */
    readonly moment: number | undefined
  }
}

/** LangChain's protected methods: `_call` does the work once `call` has checked the arguments and reported the call. */
interface ToolWork {
  call(input: unknown, config?: CallConfig, tags?: string[]): Promise<unknown>
  _call(input: unknown, manager: CallbackManagerForToolRun | undefined, config: CallConfig): unknown
}

/** A tool that can find out whether a call of it happened: its result if so, `undefined` if it did not and never will. */
interface WithLookup {
  /** @param key the call's idempotency key */
  lookup(key: string, options: { readonly signal: AbortSignal }): unknown
}

type Rules = ReturnType<typeof rulesOf>

/**
 * Wraps a tool in the rules that hold for every tool of this agent, whoever calls it: `enabled_tools`, the time limit in
 * `metadata.timeLimitMs`, a bounded result, errors that reveal to the model only a `ToolError`'s message, no side effects
 * (`readOnlyHint: false`) once the run has read the web (`openWorldHint`), none twice if replicas share their tasks, and each call in
 * its turn. Within a run, calls of the tool itself go by them too: a graph may import it.
 *
 * @throws {SetupError} for a tool that no model would accept
 *
 * @example
 * const safe = guardTool(tool(({ city }) => forecastFor(city), { name: 'weather', description, schema }))
 */
export function guardTool(tool: StructuredToolInterface): StructuredToolInterface {
  const known = guards.get(tool)
  if (known) return known.guard
  const rules = rulesOf(tool)
  const { worker } = rules
  const { call } = worker
  const work: ToolWork = {
    call: (input, config = {}, tags) => {
      const run = runOf(config)
      const normalized = normalizeArguments(input, rules.schema)
      const args = rules.isUnchecked ? normalized : withPlainIntegers(normalized, rules.schema)
      const own = {
        // LangChain names the call only for tools made by its own functions.
        runName: tool.name,
        ...config,
        [MADE]: { hadReadWeb: rules.hasEffects && hasReadWeb(config, run), moment: run?.journal.moment },
      }
      const make = () => call.call(guard, args, own, tags)
      if (!run || !mayRun(rules, own, run)) return make()
      return run.turnOrder.make(rules, surroundingCall.getStore() ?? callOf(config), config.signal, make)
    },
    _call: (input, manager, config) => makeCall(rules, input, manager, config),
  }
  const metadata = { ...hintsOf(tool), [GUARDED]: true }
  const guard = Object.assign(Object.create(tool), work, { metadata, verboseParsingErrors: true })
  worker.call = (input, config, tags) =>
    runOf(config) ? work.call(input, config, tags) : call.call(tool, input, config, tags)
  for (const one of [tool, guard]) guards.set(one, { guard, rules })
  return guard
}

/**
 * Guards a tool that a graph offers a model, if it is one of the agent's: it declares what it does.
 *
 * @throws {SetupError} for a tool that no model would accept
 */
export function guardDeclared(tool: object): void {
  if (!('_call' in tool)) return
  const own: object & StructuredToolInterface = tool as never
  if (declaresHints(hintsOf(own))) guardTool(own)
  else jsonSchemaOf(own)
}

function rulesOf(tool: StructuredToolInterface) {
  const { readOnlyHint, idempotentHint, instantHint, openWorldHint, ...hints } = hintsOf(tool)
  const { timeLimitMs = DEFAULT_TIME_LIMIT_MS } = hints
  const schema = checkedSchema(tool)
  // Whoever reads a misspelt hint would take it for absent.
  for (const key of Object.keys(hintsOf(tool))) {
    const meant = hintMeantBy(key)
    if (meant) throw wrong(tool.name, `${meant} in its metadata, got ${key}`)
  }
  if (!(timeLimitMs > 0 && timeLimitMs <= LONGEST_TIME_LIMIT_MS))
    throw wrong(tool.name, `a timeLimitMs of 1 to ${LONGEST_TIME_LIMIT_MS}, got ${timeLimitMs}`)
  const hasEffects = readOnlyHint === false
  return {
    tool,
    worker: tool as unknown as ToolWork & Partial<WithLookup>,
    schema,
    // An MCP server checks them itself.
    isUnchecked: tool.schema instanceof z.ZodAny,
    timeLimitMs,
    hasEffects,
    group: readOnlyHint === undefined ? undefined : ((tool as { [SERVER]?: object })[SERVER] ?? AGENT),
    hasEffectsOnce: hasEffects && idempotentHint !== true,
    isDeclared: !hints.readOnlyHintAssumed,
    honoursKeys: hints.idempotencyKeyHint === true,
    // An equal call returns the same, and neither takes time nor costs money.
    isCheap: idempotentHint === true && instantHint === true,
    readsWeb: openWorldHint === true,
    hasPairs: (tool as { responseFormat?: string }).responseFormat === 'content_and_artifact',
  } as const
}

async function makeCall(
  rules: Rules,
  input: unknown,
  manager: CallbackManagerForToolRun | undefined,
  config: CallConfig,
): Promise<unknown> {
  const { tool, isDeclared } = rules
  const run = runOf(config)
  assertAllowed(rules, config, run)
  const journal = run?.journal ?? new Journal()
  const keyed = journal.keyed(tool.name, input, config.toolCall?.id, config[MADE]?.moment)
  const call: Call<unknown> = {
    effect: rules.hasEffectsOnce
      ? { keyed, isDeclared, ...settlementOf(rules, run?.controller.signal) }
      : undefined,
    isSetter: rules.hasEffects,
    isCheap: rules.isCheap,
    digest: () => callDigest(tool.name, input),
    admit() {
      assertWebUnread(rules, config, run)
    },
    async replay(outcome) {
      run?.callbackHandler.toolReplayed(manager?.runId)
      return resultOf(outcome, rules.hasPairs)
    },
    // One that took steps of its own is made again: those are recorded, and they count in the metrics.
    record: ended => (keyed.hasSteps ? undefined : resultRecord(ended, config.signal)),
  }
  try {
    return await journal.once(call, () =>
      surroundingCall.run(keyed, () => performCall(rules, input, manager, config, keyed)),
    )
  } finally {
    // A result from before counts too.
    if (run && rules.readsWeb) run.hasReadWeb = true
  }
}

async function performCall(
  rules: Rules,
  input: unknown,
  manager: CallbackManagerForToolRun | undefined,
  config: ToolRunnableConfig,
  keyed: KeyedCall,
): Promise<unknown> {
  const { tool, worker } = rules
  try {
    const result = await timed(rules, config.signal, async signal =>
      worker._call.call(tool, input, manager, withCall({ ...config, signal }, keyed)),
    )
    return boundedResult(result, rules)
  } catch (error) {
    const failure = failureOf(error, tool.name, config)
    // If the model makes it again, it is the same call.
    if (!isOutcomeKnown(failure)) keyed.giveBack()
    throw failure
  }
}

async function timed<Result>(
  { tool, timeLimitMs }: Rules,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeoutError = () => new ToolTimeout(`the tool ${tool.name} took longer than ${timeLimitMs / 1000} s`)
  return await withTimeLimit(signal, timeLimitMs, work, timeoutError)
}

/** @returns what the call with this key returned; `undefined`: it did not happen and never will */
async function lookUp(rules: Rules, key: string, signal: AbortSignal | undefined): Promise<unknown> {
  const result = await timed(rules, signal, async signal => rules.worker.lookup?.(key, { signal }))
  if (result === null) throw new TypeError('expected a result or undefined from lookup, got null')
  return result === undefined ? undefined : boundedResult(result, rules)
}

/**
 * Of the tools that a graph offers a model, those that the run may call: those that it names, else all whose MCP servers are not
 * away. Tools that the graph made itself, such as handoffs, are none of the agent's, and stay.
 */
export function callableTools<Offered extends object>(
  tools: readonly Offered[],
  { context }: ContextConfig,
): Offered[] {
  const names = context?.enabled_tools
  const mayCall = ({ name = '', isAway }: { readonly name?: string; readonly isAway?: boolean }) =>
    names?.includes(name) ?? !isAway
  const rulesOfAll = tools.map(tool => guards.get(tool)?.rules)
  // A graph may offer one twice: that of its parts, and the tool itself.
  return tools.filter((tool, index) => {
    const rules = rulesOfAll[index]
    return !rules || (rulesOfAll.indexOf(rules) === index && mayCall(tool))
  })
}

/** How it is found out what became of a call of the tool with this name; `undefined`: there is no such tool. */
export function settlementIn(
  tools: readonly StructuredToolInterface[],
  name: string,
  signal: AbortSignal,
): Settlement | undefined {
  const found = tools.map(tool => guards.get(tool)).find(known => known?.rules.tool.name === name)
  return found && settlementOf(found.rules, signal)
}

function settlementOf(rules: Rules, signal: AbortSignal | undefined): Settlement {
  const { worker, honoursKeys } = rules
  return { honoursKeys, lookup: worker.lookup && (key => lookUp(rules, key, signal)) }
}

/** Whether a call is not refused, as far as the run says: one that is need not wait. */
function mayRun(rules: Rules, config: CallConfig, run: Run): boolean {
  try {
    assertAllowed(rules, config, run)
    assertWebUnread(rules, config, run)
    return true
  } catch {
    return false
  }
}

/**
 * @throws {ToolError} if the run may not call the tool
 * @throws {ToolRefusal} if the call was written as text: it may be a quotation
 */
function assertAllowed({ tool }: Rules, config: CallConfig, run: Run | undefined): void {
  const { name } = tool
  // An agent within the graph may have a context of its own.
  const contexts = [run?.context, readContext(config, RunContext)]
  if (contexts.some(context => context?.enabled_tools?.includes(name) === false)) throw notEnabled(name)
  const isAllowed = !mayHaveEffects(tool) || allowsWritten(run?.exemptions?.writtenCalls ?? [], name)
  if (isWrittenId(config.toolCall?.id) && !isAllowed)
    throw new ToolRefusal(
      'WRITTEN_CALLS',
      `not run: the call of ${name} was written as text, and ${name} may have side effects. Call it as a tool, or answer without it, and say so.`,
    )
}

/** Whether an operator allows written calls of a tool. @param allowed names, or `*` */
export function allowsWritten(allowed: readonly string[], name: string): boolean {
  return allowed.includes('*') || allowed.includes(name)
}

/** Whether a tool has side effects, or does not say that it has none. */
export function mayHaveEffects(tool: object): boolean {
  return hintsOf(tool).readOnlyHint !== true
}

/** Whether a tool is one of the agent's, to which these rules apply. */
export function isGuarded(tool: object): boolean {
  return guards.has(tool)
}

/** @throws {ToolRefusal} if anyone could have asked for the tool's side effects */
function assertWebUnread({ tool, hasEffects }: Rules, config: CallConfig, run: Run | undefined): void {
  const { name } = tool
  const wasRead = hasEffects && (config[MADE]?.hadReadWeb ?? hasReadWeb(config, run))
  if (wasRead && !run?.exemptions?.toolsAfterWeb.includes(name))
    throw new ToolRefusal(
      'TOOLS_AFTER_WEB',
      `the tool ${name} has side effects, and this run has read the web, where anyone could have asked for them. It can no longer be called. Finish the task without it, and say so.`,
    )
}

/** What a tool's error becomes: text for the model, unless it concerns the run. */
function failureOf(error: unknown, name: string, config: ToolRunnableConfig): unknown {
  if (error instanceof ToolError) error.message = truncated(error.message)
  if (error instanceof ToolError || isGraphBubbleUp(error) || config.signal?.aborted) return error
  const failure = threadFailure(error, `the tool ${JSON.stringify(name)}`)
  const cause = error instanceof Error ? error : new TypeError(`expected an Error, got ${typeof error}`)
  if (!failure) return new ToolFault(`the tool ${name} failed.`, { cause })
  // Ended here too, since LangChain's ToolNode shows the model any error.
  runOf(config)?.controller.abort(failure)
  return failure
}

/** The tools whose names are in `names`; all of them if it is absent. */
export function enabledTools(
  tools: readonly StructuredToolInterface[],
  names: readonly string[] | undefined,
): StructuredToolInterface[] {
  return names === undefined ? [...tools] : tools.filter(({ name }) => names.includes(name))
}

/** @throws {SetupError} if two tools share a name */
export function assertDistinctNames(tools: readonly StructuredToolInterface[]): void {
  const twin = tools.find(({ name }, index) => tools.findIndex(other => other.name === name) < index)
  if (twin) throw new SetupError(`two tools are named "${twin.name}"`)
}

/** Whether this run, or an earlier one of its thread, read the web. LangChain copies a tool's metadata to its messages. */
function hasReadWeb(
  config: ToolRunnableConfig & { readonly state?: unknown },
  run: Run | undefined,
): boolean {
  const { messages } = (config.state ?? {}) as { readonly messages?: readonly { metadata?: ToolHints }[] }
  return run?.hasReadWeb || messages?.some(({ metadata }) => metadata?.openWorldHint) || false
}

function checkedSchema(tool: StructuredToolInterface): ArgumentsSchema {
  const { name } = tool
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw wrong(name, 'a name of 1 to 64 letters, digits, _ or -')
  const converted = jsonSchemaOf(tool)
  if (converted.type !== 'object')
    throw wrong(name, `an object schema, got one for ${JSON.stringify(converted.type ?? 'anything')}`)
  return converted
}

const schemas = new WeakMap<object, ArgumentsSchema>()

function jsonSchemaOf(tool: StructuredToolInterface): ArgumentsSchema {
  const known = schemas.get(tool)
  if (known) return known
  try {
    const converted = toJsonSchema(tool.schema) as ArgumentsSchema
    schemas.set(tool, converted)
    return converted
  } catch {
    throw wrong(tool.name, 'a schema that JSON Schema can express: no dates, big integers, maps or functions')
  }
}

function wrong(name: string, expected: string): SetupError {
  return new SetupError(`the tool ${JSON.stringify(name)}: expected ${expected}`)
}

/** The tool's result for the model. */
function boundedResult(result: unknown, { hasPairs }: Rules): unknown {
  if (!hasPairs) return bounded(result)
  if (!Array.isArray(result) || result.length !== 2)
    throw new TypeError('expected [content, artifact], as its responseFormat says, got something else')
  return [bounded(result[0]), result[1]]
}

/** Converts a tool's result to what LangChain accepts, truncated. */
function bounded(result: unknown): unknown {
  if (typeof result === 'string') return truncated(result)
  if (isDirectToolOutput(result)) {
    const message = result as { content?: unknown }
    if (typeof message.content === 'string') message.content = truncated(message.content)
    return result
  }
  // LangChain and LangGraph handle content blocks, async iterables and commands themselves.
  if (isCommand(result) || isGenerator(result)) return result
  if (Array.isArray(result) && result.every(part => typeof part?.type === 'string')) return result
  // As LangChain does for a tool that returns nothing.
  if (result === undefined) return ''
  const text = JSON.stringify(result)
  if (text === undefined) throw new TypeError(`expected a string or an object, got ${typeof result}`)
  return truncated(text)
}

/** As much of a result as a model should read. */
function truncated(text: string): string {
  return truncateWithNote(text, MAX_RESULT_LENGTH, 'cut')
}
