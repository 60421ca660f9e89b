/** What a provider answers when it refuses. */
export interface Refusal {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One provider: where it is, and what it says when it refuses. What it requires and how it writes: the strict provider. */
export interface Provider {
  readonly name: string
  /** The source of its shapes. */
  readonly source: string
  /** The model's own name, and the part of `OPENAI_BASE_URL` after the host. */
  readonly model: string
  readonly base: string
  /** Absent: chat completions. */
  readonly api?: 'responses'
  /** The header that holds the key; absent: `authorization`, as a bearer token. */
  readonly keyHeader?: string
  /** The largest cap on a call's tokens, and the refusal of a higher one. */
  readonly cap?: { readonly largest: number; refuse(cap: number): Refusal }
  /** Characters allowed in a conversation, and the refusal of a longer one. */
  readonly context?: { readonly largest: number; refuse(tokens: number): Refusal }
  /** Absent: 401. */
  readonly wrongKey?: Refusal
  /** Absent: 404. */
  readonly wrongPath?: Refusal
  /** Absent: a server that accepts any. */
  readonly wrongModel?: Refusal
  readonly spent?: Refusal
  /** Absent: 429. */
  readonly limited?: Refusal
  /** The text of a stream that fails midway, after its first pieces. */
  readonly streamError: string
}
