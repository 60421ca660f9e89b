import { distance } from 'fastest-levenshtein'

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

/** In the metadata of what calls a tool by the agent's rules. Not in that of its callees, nor in JSON. */
export const GUARDED = Symbol('guarded')

/**
 * The key of a tool for the server that does its work, an object of its supplier's: the calls of its tools are in one order. Absent:
 * the agent does it.
 */
export const SERVER = Symbol('server')

const HINTS = [
  'readOnlyHint',
  'idempotentHint',
  'idempotencyKeyHint',
  'openWorldHint',
  'instantHint',
  'timeLimitMs',
] satisfies (keyof ToolHints)[]

/** The hint that a key of metadata was meant for, if it is none itself. */
export function hintMeantBy(key: string): string | undefined {
  const isNear = (hint: string) => distance(key.toLowerCase(), hint.toLowerCase()) <= 2
  return (HINTS as string[]).includes(key) ? undefined : HINTS.find(isNear)
}

export function hintsOf(tool: object | undefined): ToolHints {
  return (tool as { readonly metadata?: ToolHints } | undefined)?.metadata ?? {}
}

/** Whether a tool says what it does. One that a graph or LangChain's middleware makes, such as a handoff, does not. */
export function declaresHints(hints: ToolHints): boolean {
  return HINTS.some(name => hints[name] !== undefined)
}
