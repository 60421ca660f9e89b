import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { ToolError } from '../tool.ts'
import type { Session } from './session.ts'
import type { ListedTool } from './tool-list.ts'

/** Turns a server's tools into tools of this agent. */
export function offeredTools(
  session: Session,
  listed: readonly ListedTool[],
): readonly StructuredToolInterface[] {
  return listed.map(({ name, remoteName, description, schema, hints }) => {
    const { id: _, ...shown } = schema
    const call = async (args: unknown, { signal }: { signal?: AbortSignal }) =>
      resultText(await session.call(remoteName, { ...(args as object) }, signal))
    // The model sees the server's schema, and the server checks the arguments. We do not: a pattern in the schema could
    // block the process.
    return tool(call, { name, description, schema: z.any().meta(shown), metadata: hints })
  })
}

/**
 * What the model reads of a result: its text, with a note for each part that is not text. If there is nothing else, the
 * structured content.
 *
 * @throws {ToolError} if the result is an error
 */
function resultText({ content, isError, structuredContent }: CallToolResult): string {
  const text = content.map(partText).join('\n')
  if (isError) throw new ToolError(`The MCP tool returned an error: ${text}`)
  if (content.length > 0) return text
  return structuredContent ? JSON.stringify(structuredContent) : 'The tool gave an empty result.'
}

function partText(part: CallToolResult['content'][number]): string {
  if (part.type === 'text') return part.text
  if (part.type === 'resource_link') return `[link: ${part.uri}]`
  const shown = part.type === 'resource' ? part.resource : part
  if ('text' in shown) return shown.text
  return `[${part.type}${shown.mimeType ? ` of type ${shown.mimeType}` : ''}, not shown]`
}
