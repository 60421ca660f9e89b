import { isDeepStrictEqual } from 'node:util'
import { isExactInteger, isObject, parseExactJson, rangesOfJson } from '@agent-task-service/wire/untrusted'
import { readLiteral } from './text/literals.ts'

export type Arguments = Record<string, unknown>

/** The parts of a JSON Schema that are read here. */
export interface MemberSchema {
  readonly type?: unknown
  readonly enum?: unknown
  readonly anyOf?: readonly MemberSchema[]
  readonly oneOf?: readonly MemberSchema[]
}

/** The parts of an arguments' JSON Schema that are read here. */
export interface ArgumentsSchema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, MemberSchema | undefined>>
  readonly required?: readonly string[]
}

/**
 * Repairs habits of models: `null` for an omitted argument, a bare string for a list of one, a number in quotes, any member
 * as JSON text.
 */
export function normalizeArguments(input: unknown, { properties = {} }: ArgumentsSchema): unknown {
  if (!isObject(input)) return input
  const normalized = Object.entries(input).flatMap(([name, value]) => {
    const types = typesIn(properties[name])
    const isOmitted = value === null && types.length > 0 && !types.includes('null')
    return isOmitted ? [] : [[name, normalizedMember(value, types)]]
  })
  return Object.fromEntries(normalized)
}

function normalizedMember(value: unknown, types: readonly string[]): unknown {
  if (types.length === 0 || isOneOf(types, value)) return value
  if (isExactInteger(value)) return types.includes('string') ? value.rawJSON : value
  if (typeof value !== 'string') return value
  const parsed = parseExactJson(types.includes('boolean') ? value.toLowerCase() : value)
  if (parsed !== undefined && isOneOf(types, parsed)) return parsed
  const isNumber = /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value)
  if (isNumber && (types.includes('number') || types.includes('integer'))) return Number(value)
  return types.includes('array') ? [value] : value
}

/** The types that a schema names; none: any. */
function typesIn({ type, anyOf, oneOf }: MemberSchema = {}): string[] {
  const own = [type].flat().filter(name => typeof name === 'string')
  const choices = [...(anyOf ?? []), ...(oneOf ?? [])].map(typesIn)
  return choices.some(types => types.length === 0) ? own : [...own, ...choices.flat()]
}

function isOneOf(types: readonly string[], value: unknown): boolean {
  return types.some(type => {
    if (type === 'number') return typeof value === 'number' || isExactInteger(value)
    if (type === 'integer') return Number.isInteger(value) || isExactInteger(value)
    if (type === 'array') return Array.isArray(value)
    if (type === 'object') return isObject(value) && !isExactInteger(value)
    return type === 'null' ? value === null : typeof value === type
  })
}

/**
 * The same arguments for a tool that checks them: where its schema asks for numbers, integers that a number does not hold are
 * the nearest one; elsewhere they are their digits.
 */
export function withPlainIntegers(input: unknown, { properties = {} }: ArgumentsSchema): unknown {
  if (!isObject(input)) return input
  const plain = Object.entries(input).map(([name, value]) => {
    const isTyped = typesIn(properties[name]).length > 0
    return [name, withIntegers(value, isTyped ? Number : String)]
  })
  return Object.fromEntries(plain)
}

function withIntegers(value: unknown, read: (digits: string) => unknown): unknown {
  if (isExactInteger(value)) return read(value.rawJSON)
  if (Array.isArray(value)) return value.map(each => withIntegers(each, read))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withIntegers(member, read)])
  return Object.fromEntries(members)
}

/**
 * The arguments of a call as a model wrote them. What is not one JSON object may be one in quotes, the same one several times,
 * one among other text, a Python dictionary, or the text itself for a tool that requires one text.
 *
 * @param tool the one that is called, if it was offered
 * @returns `undefined` if they could mean anything else
 */
export function argumentsFrom(
  written: string,
  tool: { readonly schema: ArgumentsSchema } | undefined,
): Arguments | undefined {
  const value = written.trim() === '' ? {} : parseExactJson(written)
  if (isObject(value)) return value
  const text = typeof value === 'string' ? value : written
  const inner = parseExactJson(text)
  if (isObject(inner)) return inner
  return objectIn(text, tool?.schema ?? {}) ?? onlyText(text, tool?.schema ?? {})
}

/** The object in a text that fits the schema, if all that fit are equal; an empty one beside others does not count. */
function objectIn(text: string, schema: ArgumentsSchema): Arguments | undefined {
  const written = rangesOfJson(text).map(({ start, end }) => text.slice(start, end))
  const objects = written.map(one => parseExactJson(one) ?? readLiteral(one)).filter(isObject)
  const fitting = objects.filter(object => fits(object, schema))
  const full = fitting.filter(object => Object.keys(object).length > 0)
  const [first, ...others] = full.length > 0 ? full : fitting
  return others.every(other => isDeepStrictEqual(other, first)) ? first : undefined
}

/** Whether a schema takes the arguments: all that it requires, none that it does not know, each of its type. */
export function fits(input: Arguments, schema: ArgumentsSchema): boolean {
  const { properties = {}, required = [] } = schema
  const normalized = normalizeArguments(input, schema) as Arguments
  const isRight = (name: string) => {
    const types = typesIn(properties[name])
    const isKnown = name in properties || Object.keys(properties).length === 0
    return isKnown && (types.length === 0 || isOneOf(types, normalized[name]))
  }
  return required.every(name => name in normalized) && Object.keys(normalized).every(isRight)
}

function onlyText(
  text: string,
  { required: [only, ...others] = [], properties }: ArgumentsSchema,
): Arguments | undefined {
  const isText = !/^\s*[[{"}\]]/.test(text) && text.trim() !== ''
  const isOnly = only !== undefined && others.length === 0 && properties?.[only]?.type === 'string'
  return isText && isOnly ? { [only]: text } : undefined
}
