import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '@agent-task-service/engine/tool'
import { hasMembers, isObject, parseJson, textIn, toText } from '@agent-task-service/wire/untrusted'
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
  const isSaid = structuredContent === null || says(said, structuredContent)
  const news = isSaid ? undefined : withoutText(structuredContent, said.join('\n'), content)
  const text = [...said, ...(news === undefined ? [] : [toText(news)])].join('\n')
  return { content: [{ type: 'text', text }], isError: /^(?:true|1)$/i.test(String(toText(isError))) }
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
  const values = texts.map(text => parseJson(text) ?? text)
  return [...values, ...texts, values].some(
    value => isDeepStrictEqual(value, structured) || isDeepStrictEqual(value, wrapped),
  )
}

/**
 * Structured content without the one member, at any depth, that is the result's text or its content, and without what holds nothing
 * else; `undefined` if nothing is left.
 */
function withoutText(structured: unknown, text: string, content: unknown): unknown {
  let found = 0
  const left = (value: unknown): unknown => {
    if (value === text || (Array.isArray(value) && isDeepStrictEqual(value, content))) {
      found += 1
      return undefined
    }
    if (!hasMembers(value)) return value
    const members = Object.entries(value as object).map(([name, member]) => [name, left(member)] as const)
    const kept = members.filter(([, member]) => member !== undefined)
    if (kept.every(([, member]) => member === null) && kept.length < members.length) return undefined
    return Array.isArray(value) ? members.map(([, member]) => member ?? null) : Object.fromEntries(kept)
  }
  const news = left(structured)
  return found === 1 ? news : structured
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
