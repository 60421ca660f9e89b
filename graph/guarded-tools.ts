import type { CallbackManagerForToolRun } from '@langchain/core/callbacks/manager'
import { isDirectToolOutput } from '@langchain/core/messages/tool'
import type { StructuredToolInterface, ToolRunnableConfig } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isCommand, isGraphBubbleUp } from '@langchain/langgraph'
import { withTimeLimit } from '../tools/time-limit.ts'
import { ToolError } from '../tools/tool.ts'
import { settingsOf } from './parts.ts'
import { runOf } from './run/run.ts'
import { hintsOf, type ToolHints } from './tool-hints.ts'

/** For a tool whose `metadata` names no `timeLimitMs`: of the 30 s that most runs have, it leaves a third for the model. */
const DEFAULT_TIME_LIMIT_MS = 20_000
/** Longest time that a timer can hold, in milliseconds. */
const LONGEST_TIME_LIMIT_MS = 2 ** 31 - 1
/** Longest result handed to the model, in characters. */
const MAX_RESULT_LENGTH = 20_000

/** A tool that cannot be offered as it is. `message` names it and says what was expected. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError'
}

/** A tool that failed as its author did not foresee: the model reads that it failed, and no more. */
export class ToolFault extends ToolError {
  override readonly name: string = 'ToolFault'
}

/** A tool that did not finish in its time. */
export class ToolTimeout extends ToolFault {
  override readonly name = 'ToolTimeout'
}

/** A tool with effects outside that is not called, since the run has read the web. */
export class ToolRefusal extends ToolError {
  override readonly name = 'ToolRefusal'
}

/** What LangChain keeps from others: a tool's work, after its arguments are checked and its call is announced. */
interface ToolWork {
  call(input: unknown, config?: ToolRunnableConfig, tags?: string[]): Promise<unknown>
  _call(input: unknown, manager: CallbackManagerForToolRun | undefined, config: ToolRunnableConfig): unknown
}

/**
 * The same tool with what holds for every tool of this agent, whoever calls it: `enabled_tools`, the time limit of its
 * `metadata.timeLimitMs`, bounded results, errors of which the model reads only those that are meant for it, and no
 * effects outside (`readOnlyHint: false`) once the run has read the web (`openWorldHint`).
 *
 * @param mayFollowWeb the operator allows its effects all the same
 * @throws {ToolDefinitionError} for a tool that no model would accept
 */
export function guarded(
  tool: StructuredToolInterface,
  { mayFollowWeb = false }: { readonly mayFollowWeb?: boolean } = {},
): StructuredToolInterface {
  const { readOnlyHint, openWorldHint } = hintsOf(tool)
  const schema = checkedSchema(tool)
  const timeLimitMs = checkedTimeLimit(tool)
  const work = tool as unknown as ToolWork
  const overtime = () => new ToolTimeout(`the tool ${tool.name} took longer than ${timeLimitMs / 1000} s`)
  const guard: ToolWork = {
    // Only LangChain's own functions name their calls.
    call: (input, config, tags) =>
      work.call.call(self, mended(input, schema), { runName: tool.name, ...config }, tags),
    async _call(input, manager, config) {
      const { enabled_tools } = settingsOf(config)
      if (enabled_tools?.includes(tool.name) === false)
        throw new ToolError(`the tool ${tool.name} is not enabled for this run`)
      const hasEffects = readOnlyHint === false
      if (hasEffects && !mayFollowWeb && hasReadWeb(config))
        throw new ToolRefusal(
          `the tool ${tool.name} has effects outside, and this run has read the web, where anyone could have asked for them: it is not called any more. Finish the task without it, and say so.`,
        )
      const run = runOf(config)
      if (hasEffects) await run?.effectsBegan?.()
      try {
        const call = (signal: AbortSignal) => work._call.call(tool, input, manager, { ...config, signal })
        const result = await withTimeLimit(config.signal, timeLimitMs, async signal => call(signal), overtime)
        return (tool as { responseFormat?: string }).responseFormat === 'content_and_artifact'
          ? boundedPair(result)
          : bounded(result)
      } catch (error) {
        if (error instanceof ToolError || isGraphBubbleUp(error) || config.signal?.aborted) throw error
        throw new ToolFault(`the tool ${tool.name} failed.`, { cause: sound(error) })
      } finally {
        if (run && openWorldHint) run.hasReadWeb = true
      }
    },
  }
  const self = Object.assign(Object.create(tool), guard, { verboseParsingErrors: true })
  return self
}

/** Those of the tools that are enabled. */
export function enabledTools(
  tools: readonly StructuredToolInterface[],
  names: readonly string[] | undefined,
): StructuredToolInterface[] {
  return names === undefined ? [...tools] : tools.filter(({ name }) => names.includes(name))
}

/** @throws {ToolDefinitionError} for two tools of one name */
export function expectDistinct(tools: readonly StructuredToolInterface[]): void {
  const twin = tools.find(({ name }, index) => tools.findIndex(other => other.name === name) < index)
  if (twin) throw new ToolDefinitionError(`two tools are named "${twin.name}"`)
}

/** In this run; or, in a thread that is taken up again, in an earlier one: LangChain puts a tool's metadata on its messages. */
function hasReadWeb(config: ToolRunnableConfig & { readonly state?: unknown }): boolean {
  const { messages } = (config.state ?? {}) as { readonly messages?: readonly { metadata?: ToolHints }[] }
  return runOf(config)?.hasReadWeb || messages?.some(({ metadata }) => metadata?.openWorldHint) || false
}

/** JSON Schema of a tool's arguments, as far as it is read here. */
interface ArgumentsSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, { readonly type?: unknown } | undefined>>
}

function checkedSchema({ name, schema }: StructuredToolInterface): ArgumentsSchema {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw wrong(name, 'a name of 1 to 64 letters, digits, _ or -')
  let converted: ArgumentsSchema
  try {
    converted = toJsonSchema(schema) as ArgumentsSchema
  } catch {
    throw wrong(name, 'a schema that JSON Schema can express: no dates, big integers, maps or functions')
  }
  if (converted.type !== 'object')
    throw wrong(name, `a schema of an object, got one of ${JSON.stringify(converted.type ?? 'anything')}`)
  return converted
}

function checkedTimeLimit({
  name,
  metadata: { timeLimitMs = DEFAULT_TIME_LIMIT_MS } = {},
}: StructuredToolInterface & { readonly metadata?: { readonly timeLimitMs?: number } }): number {
  if (timeLimitMs > 0 && timeLimitMs <= LONGEST_TIME_LIMIT_MS) return timeLimitMs
  throw wrong(name, `a timeLimitMs of 1 to ${LONGEST_TIME_LIMIT_MS}, got ${timeLimitMs}`)
}

function wrong(name: string, expected: string): ToolDefinitionError {
  return new ToolDefinitionError(`the tool ${JSON.stringify(name)}: expected ${expected}`)
}

/** Arguments as models mean them: they send `null` for what they leave out, and a bare text for a list of one. */
function mended(input: unknown, { properties = {} }: ArgumentsSchema): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const given = Object.entries(input).map(([name, value]) => {
    const type = properties[name]?.type
    if (value === null && typeof type === 'string' && type !== 'null') return []
    return [[name, type === 'array' && typeof value === 'string' ? [value] : value]]
  })
  return Object.fromEntries(given.flat())
}

function boundedPair(result: unknown): unknown {
  if (!Array.isArray(result) || result.length !== 2)
    throw new TypeError('expected [content, artifact], as its responseFormat says, got something else')
  return [bounded(result[0]), result[1]]
}

/** What a tool returns, as LangChain takes it, no longer than a model should read. */
function bounded(result: unknown): unknown {
  if (typeof result === 'string') return cut(result)
  if (isDirectToolOutput(result)) {
    const message = result as { content?: unknown }
    if (typeof message.content === 'string') message.content = cut(message.content)
    return result
  }
  // Content blocks, a stream of pieces, a command: LangChain and LangGraph know what to do with them.
  if (typeof result === 'object' && result !== null && (isCommand(result) || Symbol.asyncIterator in result))
    return result
  if (Array.isArray(result) && result.every(part => typeof part?.type === 'string')) return result
  const text = JSON.stringify(result)
  if (text === undefined) throw new TypeError(`expected a text or an object, got ${typeof result}`)
  return cut(text)
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text
  return `${text.slice(0, MAX_RESULT_LENGTH).toWellFormed()}\n[cut: the first ${MAX_RESULT_LENGTH} of ${text.length} characters]`
}

/** What was thrown, if it is an error that the log and the tracers can read: the parts of one may throw in turn. */
function sound(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new TypeError(`expected an Error, got ${typeof thrown}`)
    const { name, message, stack, cause, code, status } = thrown as Error & Record<string, unknown>
    void [name, message, stack, cause, code, status]
    return thrown
  } catch {
    return new TypeError('expected an Error, got one that cannot be read')
  }
}
