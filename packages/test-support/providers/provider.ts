/** A chat completions request, as far as the table examines it. */
export interface Asked {
  readonly model: string
  readonly messages: readonly AskedMessage[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly tool_choice?: unknown
  readonly stream?: boolean
  readonly [member: string]: unknown
}

export interface AskedMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly AskedCall[]
  readonly [member: string]: unknown
}

export interface AskedCall {
  readonly id?: string
  readonly function: { readonly name: string; readonly arguments: string }
  readonly [member: string]: unknown
}

/** What the model says, before a provider gives it a shape. */
export interface Turn {
  readonly number: number
  readonly thoughts: string
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: object }[]
}

/** How a provider writes a turn; absent: like OpenAI. */
export interface Manner {
  readonly reasoning?: 'reasoning_content' | 'reasoning' | 'parts' | 'think_tags'
  /** Extra members of the message, in a stream's pieces. */
  readonly words?: (turn: Turn) => readonly object[]
  /** The same members complete, as the turn with this number must come back. */
  readonly kept?: (turn: number) => object
  readonly callWords?: (call: number) => object
  readonly callIndex?: 'zero' | 'none'
  readonly callId?: (turn: number, call: number) => string
  readonly args?: 'pieces'
  readonly callsAs?: 'text'
  readonly finish?: 'none' | 'stop' | 'with_last_call'
  /** Where a stream reports its usage; absent: in a separate chunk, if requested. */
  readonly usage?: 'x_groq' | 'with_finish' | 'never'
  /** Between the events of a stream. */
  readonly comment?: string
  readonly contentType?: string
}

/** What a provider answers when it refuses. */
export interface Refusal {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A condition that a provider imposes on requests. */
export type Rule = (asked: Asked) => Refusal | undefined

/** One provider: what it requires, how it writes, what it says when it refuses. */
export interface Provider {
  readonly name: string
  /** The source of its shapes. */
  readonly source: string
  /** The model's own name, and the part of `OPENAI_BASE_URL` after the host. */
  readonly model: string
  readonly base: string
  /** Absent: chat completions. */
  readonly api?: 'responses'
  /** More of the service's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The header that holds the key; absent: `authorization`, as a bearer token. */
  readonly keyHeader?: string
  readonly manner: Manner
  readonly rules: readonly Rule[]
  /** Requests that it refuses once, until the client learns: with a member it does not accept. */
  readonly learns?: number
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
