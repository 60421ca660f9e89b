/** A part of a result, as LangChain's adapter hands it on. */
interface Block {
  readonly type: string
  readonly text?: unknown
  readonly url?: unknown
  readonly mime_type?: unknown
  /** Of an artifact: what the server gave besides its text. */
  readonly data?: unknown
}

/**
 * What the model reads of an MCP tool's result: its text, a note for each part that is none, or the structured content
 * where there is nothing else.
 *
 * @param content a text, a block, or several
 * @param artifacts what the adapter keeps apart
 */
export function resultText(content: unknown, artifacts: unknown): string {
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
