import type { CallToolResult } from '@modelcontextprotocol/client'
import { ToolError } from '../tool.ts'

/**
 * What the model reads of a result: its text, with a note for each part that is not text. If there is nothing else, the
 * structured content.
 *
 * @throws {ToolError} if the result is an error
 */
export function resultText({ content, isError, structuredContent }: CallToolResult): string {
  const text = content.map(partText).join('\n')
  if (isError) throw new ToolError(`The MCP tool returned an error: ${text}`)
  if (content.length > 0) return text
  return structuredContent === undefined
    ? 'The tool gave an empty result.'
    : JSON.stringify(structuredContent)
}

function partText(part: CallToolResult['content'][number]): string {
  if (part.type === 'text') return part.text
  if (part.type === 'resource_link') return `[link: ${part.uri}]`
  const shown = part.type === 'resource' ? part.resource : part
  if ('text' in shown) return shown.text
  return `[${part.type}${shown.mimeType ? ` of type ${shown.mimeType}` : ''}, not shown]`
}
