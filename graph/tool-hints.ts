import type { StructuredToolInterface } from '@langchain/core/tools'

/** What a tool says of itself in its `metadata`, in MCP's words (tool annotations). What is absent is not known. */
export interface ToolHints {
  /** It changes nothing; `false`: it has effects outside, such as a mail or an order. */
  readonly readOnlyHint?: boolean | undefined
  /** The same call again comes to the same. */
  readonly idempotentHint?: boolean | undefined
  /** It reads what anyone may have written, such as the web. */
  readonly openWorldHint?: boolean | undefined
}

export function hintsOf(tool: StructuredToolInterface | undefined): ToolHints {
  return ((tool as { metadata?: ToolHints } | undefined)?.metadata ?? {}) satisfies ToolHints
}
