import type { ArgumentsSchema } from '@agent-task-service/messages/arguments'
import { parseJson, truncate } from '@agent-task-service/wire/untrusted'
import { type AIMessage, type ToolCall, ToolMessage } from '@langchain/core/messages'
import { isDirectToolOutput } from '@langchain/core/messages/tool'
import { type StructuredToolInterface, ToolInputParsingException, tool } from '@langchain/core/tools'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { isCommand, isGraphBubbleUp } from '@langchain/langgraph'
import { z } from 'zod'
import { runFailureIn } from '../failures/run-failure.ts'
import { ToolError } from '../failures/tool-error.ts'
import type { Conversation, GraphParts, NodeConfig } from '../graph/graph-parts.ts'
import { errorResult } from '../model/answered-calls.ts'
import { describeLimit } from '../run/limits.ts'
import { runOf } from '../run/run.ts'
import { hintsOf } from '../run/tool-hints.ts'
import { listedTools } from '../search/tool-search.ts'
import { guardDeclared } from '../tools/guarded-tools.ts'
import { toolsOfRun } from './offer.ts'

const PREVIEW_LENGTH = 200

/**
 * Runs the tool calls of one turn, as LangGraph's `ToolNode` does: all are made at once, in the model's order, and each begins when
 * the tool's guard lets it. Results keep the order of the calls. Every failure becomes text for the model: what was wrong and what would be
 * right. A call that is refused still counts as a step, since the model made it and got an answer; one for which no
 * step is left does not.
 */
export function toolCallNode({ tools }: Pick<GraphParts, 'tools'>) {
  return async (state: Conversation, config: NodeConfig): Promise<{ messages: ToolMessage[] }> => {
    const { tool_calls: calls = [], invalid_tool_calls: faults = [] } = state.messages.at(-1) as AIMessage
    const run = runOf(config)
    const room = run?.budget.toolCallsLeft ?? calls.length
    const enabled = toolsOfRun(tools, config)
    const faultOf = new Map(faults.map(({ id, args }) => [id, args]))
    const answers = calls.map((call, index) =>
      run && index >= room
        ? errorResult(call, `Not run: ${describeLimit('max_steps', run.limits)} was reached.`)
        : answer(enabled, call, faultOf.get(call.id), state, config),
    )
    const outputs = await Promise.all(answers)
    if (!outputs.some(isCommand)) return { messages: outputs as ToolMessage[] }
    return outputs.map(output => (isCommand(output) ? output : { messages: [output] })) as never
  }
}

/** Finds the tool, checks the call, runs it. */
async function answer(
  tools: readonly StructuredToolInterface[],
  call: ToolCall,
  fault: string | undefined,
  state: Conversation,
  config: NodeConfig,
) {
  const runtime = { ...config, state, toolCallId: call.id ?? '', config }
  const calledTool = tools.find(({ name }) => name === call.name)
  // Nameless, since the model may have made up the name.
  if (!calledTool)
    return await refuse(
      call,
      `there is no tool ${JSON.stringify(call.name)}. ${available(listedTools(tools, state.messages, config))}`,
      runtime,
      '',
    )
  guardDeclared(calledTool)
  const obstacle = obstacleTo(calledTool, fault, config)
  if (obstacle !== undefined) return await refuse(call, obstacle, runtime)
  try {
    const output = await calledTool.invoke(typed(call), runtime)
    if (isCommand(output) || isDirectToolOutput(output)) return output
    return new ToolMessage({ content: output, tool_call_id: call.id ?? '', name: call.name })
  } catch (error) {
    config.signal?.throwIfAborted()
    if (isGraphBubbleUp(error) || endsRun(error)) throw error
    if (error instanceof ToolInputParsingException) {
      const shown = truncate(JSON.stringify(call.args), PREVIEW_LENGTH)
      return await refuse(
        call,
        `the arguments ${shown} do not fit. ${issuesOf(error)} ${formOf(calledTool, call.args)}`,
        runtime,
      )
    }
    const message = error instanceof ToolError ? error.message : `the tool ${call.name} failed.`
    return errorResult(call, `Error: ${message}`)
  }
}

/** Whether an agent within the tool has ended the run, which is no failure of the tool. */
const endsRun = (error: unknown) => !(error instanceof ToolError) && runFailureIn(error) !== undefined

const typed = (call: ToolCall) => ({ ...call, type: 'tool_call' as const })

/** Tells the model why a call does not run, and the callbacks that there was one: a tool that fails takes its tool's place. */
async function refuse(
  call: ToolCall,
  message: string,
  runtime: NodeConfig,
  name = call.name,
): Promise<ToolMessage> {
  const fail = () => {
    throw new ToolError(message)
  }
  const standIn = tool(fail, { name, description: '', schema: z.looseObject({}) })
  await standIn.invoke(typed(call), runtime).catch(() => undefined)
  return errorResult(call, `Error: ${message}`)
}

/**
 * Why a call of the tool cannot run; `undefined`: it can.
 *
 * @param fault its arguments, if they are no JSON object
 */
function obstacleTo(
  calledTool: StructuredToolInterface,
  fault: string | undefined,
  config: NodeConfig,
): string | undefined {
  const run = runOf(config)
  if (run?.budget.isLastRound && !hintsOf(calledTool).instantHint)
    return `${describeLimit('soft_deadline', run.limits)} have passed: ${calledTool.name} can no longer run.`
  if (fault === undefined) return undefined
  const shown = truncate(fault, PREVIEW_LENGTH)
  const isJson = parseJson(fault) !== undefined
  const problem = isJson
    ? `the arguments ${shown} do not fit. arguments: Invalid input: expected object.`
    : `the arguments are not valid JSON: ${shown}.`
  return `${problem} ${formOf(calledTool)}`
}

/** @param args of the call that was made; absent: they could not be read */
function formOf({ name, schema }: StructuredToolInterface, args: object = {}): string {
  return `Call it as ${callForm(name, toJsonSchema(schema) as ArgumentsSchema, Object.keys(args))}.`
}

function available(tools: readonly StructuredToolInterface[]): string {
  if (tools.length === 0) return 'No tool is enabled for this run.'
  return `Available tools: ${tools.map(({ name }) => name).join(', ')}.`
}

/** LangChain's complaints about the arguments, on one line: `a: expected number, received string; b: …`. */
function issuesOf({ message }: Error): string {
  const found = [...message.matchAll(/✖ (.*)(?:\n\s*→ at (.*))?/g)]
  const issues = found.map(([, issue, path = 'arguments']) => `${path}: ${issue}`)
  return issues.length > 0
    ? `${issues.join('; ')}.`
    : message.replace(/^.*?Details: /s, '').replace(/\s+/g, ' ')
}

/**
 * A call as it should be: `convert({"amount": number, "unit"?: "km" | "mi"})`.
 *
 * @param given members of the call that was made: optional ones are shown too, and all if one is none of the tool's
 */
function callForm(
  name: string,
  { properties = {}, required = [] }: ArgumentsSchema,
  given: readonly string[] = [],
): string {
  const isKnown = (member: string) => Object.hasOwn(properties, member)
  const others = given.every(isKnown) ? given : Object.keys(properties)
  const members = [...new Set([...required, ...others])].map(member => {
    const { type = 'any', enum: choices } = properties[member] ?? {}
    const kind = Array.isArray(choices) ? choices.map(choice => JSON.stringify(choice)).join(' | ') : type
    const isLeft = !required.includes(member) && !given.includes(member)
    return `"${member}"${isLeft ? '?' : ''}: ${kind}`
  })
  return `${name}({${members.join(', ')}})`
}
