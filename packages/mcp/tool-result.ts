import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '@agent-task-service/engine/tool'
import { hasMembers, isObject, parseExactJson, textIn, toText } from '@agent-task-service/wire/untrusted'
import type { CallToolResult } from '@modelcontextprotocol/client'

/** Most parts of a result that are read: of more, the first and the last of them. */
const [FIRST_PARTS, LAST_PARTS] = [750, 250]

/**
 * What the model reads of a call's result, as its only text: the text of each part, or a note where a part has none, and what is new
 * in the structured content. Of a result without content it is the other members, as JSON.
 *
 * @param result whatever a server gives
 */
export function callResult(result: unknown): object {
  const given = isObject(result) ? result : { content: result }
  const { content = null, structuredContent = null, isError, _meta, resultType, ...others } = given
  const parts = content ?? (hasMembers(others) ? others : [])
  const texts = firstAndLast([parts].flat()).map(partText)
  const said = texts.filter(text => text.trim() !== '')
  const text = [...said, ...newsIn(structuredContent, said, content)].join('\n')
  return { content: [{ type: 'text', text }], isError: /^(?:true|1)$/i.test(toText(isError)) }
}

function firstAndLast(parts: readonly unknown[]): readonly unknown[] {
  const leftOut = parts.length - FIRST_PARTS - LAST_PARTS
  if (leftOut <= 0) return parts
  return [...parts.slice(0, FIRST_PARTS), `[${leftOut} parts, not shown]`, ...parts.slice(-LAST_PARTS)]
}

/** The text of a part; of one without a type, which is data, its JSON. */
function partText(part: unknown): string {
  if (part === null) return ''
  const type = isObject(part) ? textIn(part.type) : undefined
  if (!isObject(part) || type === undefined) return toText(part)
  if (type === 'resource_link' && textIn(part.uri)) return `[link: ${part.uri}]`
  const { text, mimeType } = type === 'resource' && isObject(part.resource) ? part.resource : part
  if (text !== undefined && text !== null) return toText(text)
  return `[${type}${textIn(mimeType) ? ` of type ${mimeType}` : ''}, not shown]`
}

/** Whether the texts are the structured content as JSON. Servers wrap what is no object in a member `result`. */
function says(texts: readonly string[], structured: unknown): boolean {
  const wrapped = isObject(structured) && Object.keys(structured).length === 1 ? structured.result : undefined
  const values = texts.map(text => parseExactJson(text) ?? text)
  return [...values, ...texts, values].some(
    value => isDeepStrictEqual(value, structured) || isDeepStrictEqual(value, wrapped),
  )
}

/** Structured content as JSON, without what is in it once and was read already, and without what holds nothing else. */
function newsIn(structured: unknown, texts: readonly string[], content: unknown): string[] {
  if (structured === null || says(texts, structured)) return []
  const whole = toText(structured)
  const read = [Array.isArray(content) && content.length > 0 ? content : undefined, texts.join('\n')]
  const path = read
    .filter(value => value && isOnceIn(whole, JSON.stringify(value)))
    .map(value => pathTo(structured, value))
    .find(path => path !== undefined)
  const news = path ? without(structured, path) : whole
  return news === undefined ? [] : [toText(news)]
}

function isOnceIn(text: string, part: string): boolean {
  const at = text.indexOf(part)
  return at >= 0 && !text.includes(part, at + 1)
}

type Path = readonly (string | number)[]

/** The names of the members that lead to a value in another. */
function pathTo(value: unknown, sought: unknown): Path | undefined {
  if (isDeepStrictEqual(value, sought)) return []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const path = pathTo(member, sought)
    if (path) return [name, ...path]
  }
  return undefined
}

/** The value without the member at a path; `undefined` if nothing else is in it. A list keeps it if it has others. */
function without(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return undefined
  const inner = without((value as Record<string, unknown>)[name], rest)
  const left = Array.isArray(value)
    ? value.with(Number(name), inner)
    : { ...(value as object), [name]: inner }
  if (Object.values(left).every(member => member === null || member === undefined)) return undefined
  return Array.isArray(value) && inner === undefined ? value : left
}

/**
 * What the model reads of a result.
 *
 * @param result as {@link callResult} gives it
 * @throws {ToolError} if the result is an error
 */
export function resultText({ content: [part], isError }: CallToolResult): string {
  const shown = part?.type === 'text' ? part.text : ''
  if (isError) throw new ToolError(`The MCP tool returned an error${shown === '' ? '.' : `: ${shown}`}`)
  return shown === '' ? 'The tool gave an empty result.' : shown
}
