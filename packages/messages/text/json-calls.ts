import { isObject, type JsonObject, textIn, toText } from '@agent-task-service/wire/untrusted'
import { fits } from '../arguments.ts'
import type { OfferedTools } from '../offered-tools.ts'
import type { WrittenCall } from '../written-call.ts'

const NAME = /^(?:name|(?:function|tool|recipient)(?:_name)?|action)$/
const ARGUMENTS = /^(?:(?:function|tool|action)_)?(?:arguments|args|parameters|params|input|kwargs)$/
const LIST = /^(?:(?:function|tool)_)?(?:calls?|uses)$|^function$/
/** Members of a call that say nothing of what is called. */
const OTHER = /^(?:type|id|index|tool_call_id)$/

/** Whether a member of this name may be the first of a call in JSON. */
export function isCallMember(name: string): boolean {
  return [NAME, ARGUMENTS, LIST, OTHER].some(pattern => pattern.test(name))
}

/** Whether they name a tool and its arguments. */
export function hasMembersOfCall(names: readonly string[]): boolean {
  return [NAME, ARGUMENTS].every(pattern => names.some(name => pattern.test(name)))
}

/**
 * The calls in a parsed value: one, a list, or one by the name of its tool. A name stands in a member for names, or is the one
 * member's; nothing in the arguments is a name.
 *
 * @returns `undefined` if there is none
 */
export function callsInValue(value: unknown, tools: OfferedTools): readonly WrittenCall[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.flatMap(each => callsInValue(each, tools) ?? [])
    return calls.length > 0 ? calls : undefined
  }
  if (!isObject(value)) return undefined
  const name = memberOf(value, NAME, member => textIn(member) !== undefined)
  const list = name ? undefined : memberOf(value, LIST, inner => inner !== null && typeof inner === 'object')
  if (list) return callsInValue(list[1], tools)
  const call = name ? namedCall(value, name, tools) : callByName(value, tools)
  return call && [{ ...call, isClosed: true }]
}

type Member = readonly [name: string, value: unknown]

function namedCall(value: JsonObject, [nameKey, name]: Member, tools: OfferedTools) {
  // With a description, it is the definition of a tool.
  if ('description' in value) return undefined
  const written = String(name)
  const [, args] = memberOf(value, ARGUMENTS) ?? []
  if (args !== undefined) return { name: tools.nameFor(written), args: toText(args ?? {}) }
  const members = Object.entries(value).filter(([key]) => key !== nameKey && !OTHER.test(key))
  return flatCall(written, Object.fromEntries(members), tools)
}

/** `{"calculator": {"expression": "6*7"}}` */
function callByName(value: JsonObject, tools: OfferedTools) {
  const [[name, args] = ['', undefined], ...more] = Object.entries(value)
  return more.length === 0 && isObject(args) ? flatCall(name, args, tools) : undefined
}

/** `{"tool": "calculator", "expression": "6*7"}`, or the name alone for a tool that requires nothing. */
function flatCall(name: string, args: JsonObject, tools: OfferedTools) {
  const tool = tools.find(name)
  return tool && fits(args, tool.schema) ? { name: tool.name, args: toText(args) } : undefined
}

function memberOf(
  value: JsonObject,
  pattern: RegExp,
  isWanted: (member: unknown) => boolean = () => true,
): Member | undefined {
  return Object.entries(value).find(([name, member]) => pattern.test(name) && isWanted(member))
}
