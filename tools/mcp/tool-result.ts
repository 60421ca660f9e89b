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
