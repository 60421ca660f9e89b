import { isObject, parseJson } from '@agent-task-service/untrusted/json'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'

/** The parts of an arguments' JSON Schema that are read here. */
export interface ArgumentsSchema {
  readonly type?: unknown
  readonly properties?: Readonly<
    Record<string, { readonly type?: unknown; readonly enum?: unknown } | undefined>
  >
  readonly required?: readonly string[]
}

/** Repairs habits of models: `null` for an omitted argument, a bare string for a list of one, a number in quotes. */
export function normalizeArguments(input: unknown, { properties = {} }: ArgumentsSchema): unknown {
  if (!isObject(input)) return input
  const normalized = Object.entries(input).map(([name, value]) => {
    const type = properties[name]?.type
    if (value === null && typeof type === 'string' && type !== 'null') return []
    if (type === 'array' && typeof value === 'string') return [[name, [value]]]
    const isNumber =
      (type === 'number' || type === 'integer') && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(`${value}`)
    return [[name, isNumber ? Number(value) : value]]
  })
  return Object.fromEntries(normalized.flat())
}

/**
 * The arguments of a call that came as something else than a JSON object: an object in quotes twice, or the text itself
 * for a tool that requires one text.
 *
 * @returns `undefined` if they could mean anything else
 */
export function argumentsFrom(
  written: string,
  name: string,
  tools: readonly BindToolsInput[],
): Record<string, unknown> | undefined {
  const value = parseJson(written) ?? written
  const inner = typeof value === 'string' ? parseJson(value) : undefined
  if (isObject(inner)) return inner
  const tool = tools.map(tool => convertToOpenAITool(tool as never).function).find(tool => tool.name === name)
  const { required: [only, ...others] = [], properties } = (tool?.parameters ?? {}) as ArgumentsSchema
  const isText = typeof value === 'string' && !/^\s*[[{"}\]]/.test(value) && value.trim() !== ''
  const isOnly = only !== undefined && others.length === 0 && properties?.[only]?.type === 'string'
  return isText && isOnly ? { [only]: value } : undefined
}

/** A call as it should be: `convert({"amount": number, "unit": "km" | "mi"})`. */
export function callForm(name: string, { properties = {}, required = [] }: ArgumentsSchema): string {
  const members = required.map(member => {
    const { type = 'any', enum: choices } = properties[member] ?? {}
    const shown = Array.isArray(choices) ? choices.map(choice => JSON.stringify(choice)).join(' | ') : type
    return `"${member}": ${shown}`
  })
  return `${name}({${members.join(', ')}})`
}
