import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '@agent-task-service/engine/tool'
import {
  hasMembers,
  isExactInteger,
  isObject,
  parseExactJson,
  textIn,
  toText,
} from '@agent-task-service/wire/untrusted'
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
  const [wrapped, ...others] = isObject(structured) ? Object.values(structured) : []
  const values = texts.map(text => parseExactJson(text) ?? text)
  return [...values, ...texts, values].some(
    value =>
      isDeepStrictEqual(value, structured) || (others.length === 0 && isDeepStrictEqual(value, wrapped)),
  )
}

/** Structured content as JSON, without the one member that is the result's content or its text; nothing if no other value is in it. */
function newsIn(structured: unknown, texts: readonly string[], content: unknown): string[] {
  if (structured === null || says(texts, structured)) return []
  const whole = toText(structured)
  const told = [hasMembers(content) ? content : '', texts.join('\n')]
  const read = told.find(one => one !== '' && isOnceIn(whole, JSON.stringify(one)))
  if (read === undefined) return [whole]
  let isMore = false
  const news = JSON.stringify(structured, function (this: unknown, _name, value: unknown) {
    const isRead = isDeepStrictEqual(value, read)
    isMore ||= !isRead && value !== null && (!hasMembers(value) || isExactInteger(value))
    // Without it the other members of a list would stand elsewhere.
    return isRead && !(Array.isArray(this) && this.length > 1) ? undefined : value
  })
  return isMore ? [news] : []
}

function isOnceIn(text: string, part: string): boolean {
  const at = text.indexOf(part)
  return at >= 0 && !text.includes(part, at + 1)
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
