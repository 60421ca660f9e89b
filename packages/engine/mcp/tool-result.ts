import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '@agent-task-service/untrusted/json'
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/client'
import { ToolError } from '../tool.ts'

/** Most parts of a result that are examined: of more, the first and the last of them. */
const [FIRST_PARTS, LAST_PARTS] = [750, 250]

/**
 * Leaves out the middle of a content of thousands of parts, since the client takes long to check them, and the model reads
 * only the first and the last texts.
 *
 * @param message changed in place, before the client reads it
 */
export function shortenContent(message: JSONRPCMessage): void {
  const content = 'result' in message ? message.result.content : undefined
  if (!Array.isArray(content)) return
  const leftOut = content.length - FIRST_PARTS - LAST_PARTS
  if (leftOut > 0)
    content.splice(FIRST_PARTS, leftOut, { type: 'text', text: `[${leftOut} parts, not shown]` })
}

/**
 * What the model reads of a result: its text, with a note for each part that is not text, and the structured content, unless
 * the text already says it.
 *
 * @throws {ToolError} if the result is an error
 */
export function resultText({ content, isError, structuredContent }: CallToolResult): string {
  const texts = content.map(partText).filter(text => text.trim() !== '')
  const isNew = structuredContent !== undefined && !says(texts, structuredContent)
  const shown = [...texts, ...(isNew ? [JSON.stringify(structuredContent)] : [])].join('\n')
  const isEmpty = shown === ''
  if (isError) throw new ToolError(`The MCP tool returned an error${isEmpty ? '.' : `: ${shown}`}`)
  return isEmpty ? 'The tool gave an empty result.' : shown
}

/** Whether the texts are the structured content as JSON. Servers wrap what is no object in a member `result`. */
function says(texts: readonly string[], structured: unknown): boolean {
  const wrapped = isObject(structured) && Object.keys(structured).length === 1 ? structured.result : undefined
  const values = texts.map(text => parseJson(text) ?? text)
  return [...values, ...texts, values].some(
    value => isDeepStrictEqual(value, structured) || isDeepStrictEqual(value, wrapped),
  )
}

function partText(part: CallToolResult['content'][number]): string {
  if (part.type === 'text') return part.text
  if (part.type === 'resource_link') return `[link: ${part.uri}]`
  const shown = part.type === 'resource' ? part.resource : part
  if ('text' in shown) return shown.text
  return `[${part.type}${shown.mimeType ? ` of type ${shown.mimeType}` : ''}, not shown]`
}
