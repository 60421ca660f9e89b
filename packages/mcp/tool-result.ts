import { isDeepStrictEqual } from 'node:util'
import { ToolError } from '@agent-task-service/engine/tool'
import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/client'

/** Most parts of a result that are examined: of more, the first and the last of them. */
const [FIRST_PARTS, LAST_PARTS] = [750, 250]

/**
 * Moves structured content to where the client does not copy it, and leaves out the middle of a content of thousands of parts:
 * the client takes long to check them, and the model reads only the first and the last texts.
 *
 * @param message changed in place, before the client reads it
 */
export function setContentAside(message: JSONRPCMessage): void {
  if (!('result' in message)) return
  const { result } = message
  if ('structuredContent' in result) result.structuredContent = { setAside: result.structuredContent }
  if (!Array.isArray(result.content)) return
  const leftOut = result.content.length - FIRST_PARTS - LAST_PARTS
  if (leftOut <= 0) return
  result.content.splice(FIRST_PARTS, leftOut, { type: 'text', text: `[${leftOut} parts, not shown]` })
}

/**
 * What the model reads of a result: its text, with a note for each part that is not text, and the structured content, unless
 * the text already says it.
 *
 * @param result whose structured content was set aside
 * @throws {ToolError} if the result is an error
 */
export function resultText({ content, isError, structuredContent }: CallToolResult): string {
  const texts = content.map(partText).filter(text => text.trim() !== '')
  const structure = isObject(structuredContent) ? structuredContent.setAside : undefined
  const isNew = structure !== undefined && !says(texts, structure)
  const shown = [...texts, ...(isNew ? [JSON.stringify(structure)] : [])].join('\n')
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
