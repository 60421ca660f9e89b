import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { loadMcpTools } from '@langchain/mcp-adapters'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import { ToolError } from '../tool.ts'
import type { Session } from './session.ts'
import type { ListedTool } from './tool-list.ts'

/** The part of a client that LangChain's adapter uses. */
type AdapterClient = Pick<Client, 'listTools' | 'callTool' | 'readResource'>

/** Turns a server's tools into tools of this agent, using LangChain's adapter. */
export async function offeredTools(
  server: string,
  session: Session,
  listed: readonly ListedTool[],
): Promise<readonly StructuredToolInterface[]> {
  const client: AdapterClient = {
    // The adapter would drop unions and expand every reference without limit. So it gets an empty schema, and the model
    // gets the server's own.
    listTools: async () => ({
      tools: listed.map(({ remoteName }) => ({ name: remoteName, inputSchema: { type: 'object' } })),
    }),
    callTool: async ({ name, arguments: args = {} }, _schema, options) =>
      await session.call(name, args, options?.signal),
    readResource: async () => {
      throw new ToolError('the result names a resource without its content')
    },
  }
  const adapted = await loadMcpTools(server, client as Client, {
    useStandardContentBlocks: true,
    outputHandling: 'content',
  })
  return listed.map(({ name, description, schema, hints }, index) => {
    const { id: _, ...shown } = schema
    const call = async (args: unknown, { signal }: { signal?: AbortSignal }) => {
      // Not `invoke`: callbacks would report a tool call within the tool call.
      try {
        const [content, artifacts] = await adapted[index]!.func({ ...(args as object) }, undefined, {
          signal,
        })
        return resultText(content, artifacts)
      } catch (error) {
        // The adapter's message, which includes the server's.
        throw new ToolError((error as Error).message)
      }
    }
    // The model sees the server's schema, and the server checks the arguments. We do not: a pattern in the schema could
    // block the process.
    return tool(call, { name, description, schema: z.any().meta(shown), metadata: hints })
  })
}

/** A part of a result, as LangChain's adapter returns it. */
interface Block {
  readonly type: string
  readonly text?: unknown
  readonly url?: unknown
  readonly mime_type?: unknown
  /** In an artifact: what the server returned in addition to its text. */
  readonly data?: unknown
}

/**
 * What the model reads of an MCP tool's result: its text, with a note for each part that is not text. If there is
 * nothing else, the structured content.
 *
 * @param content a string, a block, or several blocks
 * @param artifacts what the adapter returns separately
 */
function resultText(content: unknown, artifacts: unknown): string {
  if (typeof content === 'string') return content
  const blocks = [content].flat() as readonly Block[]
  if (blocks.length > 0) return blocks.map(blockText).join('\n')
  const structured = ([artifacts].flat() as readonly Block[]).find(
    ({ type }) => type === 'mcp_structured_content',
  )
  return structured ? JSON.stringify(structured.data) : 'The tool gave an empty result.'
}

function blockText({ type, text, url, mime_type: mimeType }: Block): string {
  if (typeof text === 'string') return text
  if (typeof url === 'string') return `[link: ${url}]`
  return `[${type}${typeof mimeType === 'string' ? ` of type ${mimeType}` : ''}, not shown]`
}
