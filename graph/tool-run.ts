import { CallbackManager } from '@langchain/core/callbacks/manager'
import type { Serialized } from '@langchain/core/load/serializable'
import type { ToolCall } from '@langchain/core/messages'
import { z } from 'zod'
import { type Tool, ToolError } from '../tools/tool.ts'
import { childSignal } from './child-signal.ts'
import type { NodeConfig } from './scope.ts'
import type { Toolset } from './toolset.ts'

/** What the model reads of one tool call. */
export interface ToolResult {
  readonly text: string
  readonly failed: boolean
}

/** A call as the model made it; `fault`: its arguments, where they are no JSON. */
export type AskedCall = ToolCall & { readonly fault?: string | undefined }

/** For a tool that names none: of the 30 s that most runs have, it leaves a third for the model. */
const DEFAULT_TIME_LIMIT_MS = 20_000
/** Longest result handed to the model, in characters. */
const MAX_RESULT_LENGTH = 20_000
const PREVIEW_LENGTH = 200

/** A tool that had not finished in its time. */
export class ToolTimeout extends ToolError {
  override readonly name = 'ToolTimeout'

  constructor(tool: string, timeLimitMs: number) {
    super(`the tool ${tool} took longer than ${timeLimitMs / 1000} s`)
  }
}

/** No fault of the tool's: nobody waits for it any more. */
class RunEnded extends ToolError {
  override readonly name = 'RunEnded'

  constructor() {
    super('the run has ended')
  }
}

/**
 * Runs one tool call to a text for the model, whatever happens: a name that is not enabled, arguments that do not
 * fit and a tool's failure come back as what was wrong and what would be right. Each call is announced to the
 * callbacks, also one that cannot be run.
 *
 * @throws the signal's abort only
 */
export async function runTool(tools: Toolset, call: AskedCall, config: NodeConfig): Promise<ToolResult> {
  const callbacks = CallbackManager.configure(config.callbacks)
  const run = await callbacks?.handleToolStart(
    SERIALIZED,
    JSON.stringify(call.args),
    undefined,
    undefined,
    undefined,
    undefined,
    // A name that is no tool's is the model's own text: not for the log.
    tools.get(call.name)?.name,
    call.id,
  )
  try {
    const text = bounded(await perform(tools, call, config.signal))
    await run?.handleToolEnd(text)
    return { text, failed: false }
  } catch (thrown) {
    const error = soundError(thrown)
    await run?.handleToolError(error)
    config.signal?.throwIfAborted()
    return { text: failureText(error, call.name), failed: true }
  }
}

/** What was thrown, if it is an error that the log and the tracers can read: the parts of one may throw in turn. */
function soundError(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return new TypeError(`expected an Error, got ${typeof thrown}`)
    const { name, message, stack, cause, code, status } = thrown as Error & Record<string, unknown>
    void [name, message, stack, cause, code, status]
    return thrown
  } catch {
    return new TypeError('expected an Error, got one that cannot be read')
  }
}

async function perform(tools: Toolset, call: AskedCall, parent: AbortSignal | undefined): Promise<string> {
  const tool = tools.get(call.name)
  if (!tool) throw new ToolError(`there is no tool ${JSON.stringify(call.name)}. ${available(tools)}`)
  const args = validate(tool, call)
  using child = childSignal(parent)
  const { signal } = child
  if (signal.aborted) throw new RunEnded()
  const { timeLimitMs = DEFAULT_TIME_LIMIT_MS } = tool
  const overtime = setTimeout(() => child.abort(new ToolTimeout(tool.name, timeLimitMs)), timeLimitMs)
  // A tool that ignores the signal is left behind: its late result goes nowhere.
  const left = new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason instanceof ToolTimeout ? signal.reason : new RunEnded())
    signal.addEventListener('abort', leave, { once: true })
  })
  try {
    const result: unknown = await Promise.race([tool.run(args, { signal, secrets: {} }), left])
    if (typeof result !== 'string')
      throw new TypeError(`expected ${tool.name} to return a string, got ${typeof result}`)
    return result
  } finally {
    clearTimeout(overtime)
  }
}

/** The arguments as the tool takes them. Those of a tool with a JSON Schema are left to whom it hands them. */
function validate({ schema }: Tool, call: AskedCall): Parameters<Tool['run']>[0] {
  if (call.fault !== undefined) {
    throw new ToolError(`the arguments are not valid JSON: ${preview(call.fault)}. Send one JSON object.`)
  }
  const parsed = (schema instanceof z.ZodType ? schema : z.looseObject({})).safeParse(call.args)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`,
  )
  throw new ToolError(`the arguments ${preview(JSON.stringify(call.args))} do not fit. ${issues.join('; ')}.`)
}

function available(tools: Toolset): string {
  return tools.names.length === 0
    ? 'No tool is enabled for this run.'
    : `Available tools: ${tools.names.join(', ')}.`
}

/**
 * What the model reads of a call that failed. Only a ToolError's message is written for it; any other error may hold
 * what must not leave the process.
 */
export function failureText(error: unknown, name: string): string {
  return bounded(error instanceof ToolError ? `Error: ${error.message}` : `Error: the tool ${name} failed.`)
}

function bounded(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text
  return `${text.slice(0, MAX_RESULT_LENGTH).toWellFormed()}\n[cut: the first ${MAX_RESULT_LENGTH} of ${text.length} characters]`
}

function preview(text: string): string {
  return text.length <= PREVIEW_LENGTH ? text : `${text.slice(0, PREVIEW_LENGTH)}…`.toWellFormed()
}

/** How tracers see a tool that is no LangChain object. */
const SERIALIZED: Serialized = { lc: 1, type: 'not_implemented', id: ['agent', 'tool'] }
