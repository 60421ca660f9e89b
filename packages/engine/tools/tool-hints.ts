import type { StructuredToolInterface } from '@langchain/core/tools'

/** What a tool declares in its `metadata`, named as in MCP's tool annotations. An absent hint means unknown. */
export interface ToolHints {
  /** `true`: it changes nothing; `false`: it has side effects, such as a mail or an order. */
  readonly readOnlyHint?: boolean | undefined
  /** Not MCP's: `readOnlyHint: false` is a guess, since the tool's MCP server does not say. */
  readonly readOnlyHintAssumed?: boolean | undefined
  /** Repeating a call returns the same, and changes nothing more. */
  readonly idempotentHint?: boolean | undefined
  /** Not MCP's: its service does nothing twice with the same `idempotencyKey`. */
  readonly idempotencyKeyHint?: boolean | undefined
  /** It reads text that anyone may have written, such as the web. */
  readonly openWorldHint?: boolean | undefined
  /** Not MCP's: it needs no network and no wait, so it may still be called when the time is nearly over. */
  readonly instantHint?: boolean | undefined
  /** Not MCP's: how long a call may take, in milliseconds. */
  readonly timeLimitMs?: number | undefined
}

export function hintsOf(tool: StructuredToolInterface | undefined): ToolHints {
  return ((tool as { metadata?: ToolHints } | undefined)?.metadata ?? {}) satisfies ToolHints
}
