import { rangesOfJson } from '@agent-task-service/wire/untrusted'
import { type Arguments, argumentsFrom, fits } from '../arguments.ts'
import type { OfferedTools } from '../offered-tools.ts'
import type { Written, WrittenCall } from '../written-call.ts'
import { hasMembersOfCall } from './json-calls.ts'
import type { TextReading } from './sections.ts'
import { CallReader } from './written-calls.ts'

/** Without marks, calls are the whole reply, or its end. */
export const BARE: Written = { areMarked: false, areLast: true }

/** Calls without a mark, and where they begin. */
interface BareCalls {
  readonly calls: readonly WrittenCall[]
  readonly start: number
}

/** Phi-4-mini's and Firefunction's `functools[…]`. vllm-project/vllm vllm/tool_parsers/phi4mini */
const BEFORE_LIST = /\bfunctools$/
/** `Action: calculator`, then `Action Input: {"expression": "6*7"}`. arXiv:2210.03629; LangChain, create_react_agent */
const ACTION = /(?:^|\n)[ \t]*(?:\*\*)?Action:(?:\*\*)?[ \t]*([^\n]*)\n?([\s\S]*)$/
const ACTION_INPUT = /^\s*(?:\*\*)?Action Input:(?:\*\*)?/
const OBSERVATION = /\n[ \t]*(?:\*\*)?Observation:/

/**
 * The calls that an answer is, or ends with, without a mark that says so. They are calls only if each names an offered tool and
 * nothing follows; behind words, if each fits its schema too.
 */
export function bareCallsIn(text: string, tools: OfferedTools): TextReading | undefined {
  const found = actionIn(text, tools) ?? wholeCalls(text, tools) ?? callsAtEnd(text, tools)
  return found && { answer: text.slice(0, found.start), calls: found.calls, how: BARE }
}

function wholeCalls(text: string, tools: OfferedTools): BareCalls | undefined {
  const inside = unfenced(text).replaceAll(/^>{3}(?=\w)/gm, '')
  const calls = elementsOfTools(inside, tools) ?? callsFrom(inside, tools)
  return calls && { calls, start: 0 }
}

/** `[f(x=1)]`, JSON, or a fence with one of them, as the last that a reply says; several, if nothing stands between them. */
function callsAtEnd(text: string, tools: OfferedTools): BareCalls | undefined {
  const starts = new Map(rangesOfJson(text).map(({ start, end }) => [end, start]))
  const found: (readonly WrittenCall[])[] = []
  let start = text.length
  for (let end = text.trimEnd().length; ; end = endBefore(start, text)) {
    const at = startOfBlock(text, end, starts.get(end))
    if (at === undefined) break
    const calls = fittingCalls(unfenced(text.slice(at, end)).replace(/^functools/, ''), tools)
    if (!calls) break
    found.push(calls)
    start = at
  }
  return found.length > 0 ? { calls: found.toReversed().flat(), start } : undefined
}

/** Where the fence begins that ends here, or the JSON with what is before it. */
function startOfBlock(text: string, end: number, start: number | undefined): number | undefined {
  const fence = text.endsWith('```', end) ? text.lastIndexOf('```', end - 4) : -1
  if (fence >= 0) return fence
  if (start === undefined) return undefined
  const [before] = BEFORE_LIST.exec(text.slice(Math.max(0, start - 20), start)) ?? ['']
  return start - before.length
}

/** Where what stands before a call ends, without what may stand between two. */
function endBefore(start: number, text: string): number {
  let end = start
  while (/[\s,;]/.test(text[end - 1] ?? '')) end -= 1
  return end
}

/** The calls of offered tools that a text is. */
function callsFrom(text: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const section = new CallReader(text, tools).readBare()
  const isAll = section !== undefined && /^[\s;]*$/.test(text.slice(section.end))
  return isAll && section.calls.every(call => readArguments(call, tools)) ? section.calls : undefined
}

function fittingCalls(text: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const calls = callsFrom(text, tools)
  return calls?.every(call => fitsTool(call, tools)) ? calls : undefined
}

function fitsTool(call: WrittenCall, tools: OfferedTools): boolean {
  const args = readArguments(call, tools)
  return args !== undefined && fits(args, tools.find(call.name)?.schema ?? {})
}

function readArguments({ name, args }: WrittenCall, tools: OfferedTools): Arguments | undefined {
  const tool = tools.find(name)
  return tool && argumentsFrom(args, tool)
}

/** `<calculator><expression>6*7</expression></calculator>`: all its children are parameters. */
function elementsOfTools(text: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const calls: WrittenCall[] = []
  const element = /\s*<([\w-]+)>\s*(<[\s\S]*?>)\s*<\/\1>\s*/y
  do {
    const [, name = '', inside = ''] = element.exec(text) ?? []
    const found = tools.find(name) && fittingCalls(`${name}${inside}</call>`, tools)
    if (!found) return undefined
    calls.push(...found)
  } while (element.lastIndex < text.length)
  return calls
}

/** A plain text is the argument of a tool that has one. */
function actionIn(text: string, tools: OfferedTools): BareCalls | undefined {
  const found = ACTION.exec(text)
  if (!found) return undefined
  const [, line = '', rest = ''] = found
  const start = found.index
  const json = line.trim() === '' ? callsFrom(unfenced(rest), tools) : undefined
  if (json) return { calls: json, start }
  const tool = tools.find(line.replaceAll('**', '').trim())
  const [announcement] = ACTION_INPUT.exec(rest) ?? []
  if (!tool || announcement === undefined) return undefined
  const [written = '', observation] = rest.slice(announcement.length).split(OBSERVATION)
  const input = written.trim()
  const isObject = /^[{`]/.test(input)
  const isOnly = Object.keys(tool.schema.properties ?? {}).length === 1
  const args = unfenced(input)
  const call = { name: tool.name, args, isClosed: isObject || observation !== undefined }
  return isObject || (isOnly && fitsTool(call, tools)) ? { calls: [call], start } : undefined
}

/** What stands in a fence, or the text itself. */
export function unfenced(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```')) return trimmed
  const inside = trimmed.replace(/^`{3,}[\w-]*/, '')
  return (inside.endsWith('```') ? inside.slice(0, -'```'.length) : inside).trim()
}

/** The tool that an answer names, if it is nothing but JSON with the members of a call, whole or not; "" if it names none. */
export function unreadCallIn(answer: string, tools: OfferedTools): string | undefined {
  const text = unfenced(answer)
  const [first] = rangesOfJson(text)
  const isAlone = first?.start === 0 && (first.end === undefined || text.slice(first.end).trim() === '')
  const members = [...text.slice(0, 1_000).matchAll(/"(\w{1,40})"\s*:/g)].map(([, name = '']) => name)
  const isCall = isAlone && hasMembersOfCall(members) && !members.includes('description')
  return isCall ? tools.namedIn(text) : undefined
}
