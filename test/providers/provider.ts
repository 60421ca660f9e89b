/** A chat completions request, as far as the table looks at it. */
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

/** What the model says, before a provider puts it into its own shape. */
export interface Turn {
  readonly number: number
  readonly thoughts: string
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: object }[]
}

/** How a provider writes a turn; absent: as OpenAI does. */
export interface Manner {
  readonly reasoning?: 'reasoning_content' | 'reasoning' | 'parts' | 'think_tags'
  /** Further members of the message: whole, or in the pieces in which a stream brings them. */
  readonly words?: (turn: Turn) => readonly object[]
  readonly callWords?: (call: number) => object
  readonly callIndex?: 'zero' | 'none'
  readonly callId?: (turn: number, call: number) => string
  readonly args?: 'object' | 'pieces'
  readonly callsAs?: 'text'
  readonly finish?: 'none' | 'stop' | 'with_last_call'
  /** Where a stream has its usage; absent: in a chunk of its own, if it was asked for. */
  readonly usage?: 'x_groq' | 'with_finish' | 'never'
  /** Between the events of a stream. */
  readonly comment?: string
  readonly done?: false
  readonly contentType?: string
}

/** What a provider answers where it does not serve. */
export interface Refusal {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A condition that a provider puts on requests. */
export type Rule = (asked: Asked) => Refusal | undefined

/** One provider: what it insists on, how it writes, what it says when it refuses. */
export interface Provider {
  readonly name: string
  /** Where its shapes were learnt. */
  readonly source: string
  /** The model's own name, and what `OPENAI_BASE_URL` has behind the host. */
  readonly model: string
  readonly base: string
  /** Where the completions are. */
  readonly path: string
  /** More of the service's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** The header that holds the key; absent: `authorization`, as a bearer token. */
  readonly keyHeader?: string
  readonly manner: Manner
  readonly rules: readonly Rule[]
  /** Requests that it refuses once, until the client knows better: a member it does not take. */
  readonly learns?: number
  /** The largest cap on a call's tokens, and its refusal of one that is higher. */
  readonly cap?: { readonly largest: number; refuse(cap: number): Refusal }
  /** Characters that a conversation may have, and the refusal of a longer one. */
  readonly context?: { readonly largest: number; refuse(tokens: number): Refusal }
  /** None: a server that takes any. */
  readonly wrongKey?: Refusal
  readonly wrongPath: Refusal
  readonly wrongModel?: Refusal
  readonly spent?: Refusal
  readonly limited: Refusal
  /** The text of a stream that fails in the middle, behind its first pieces. */
  readonly streamError: string
  /** Requests that must be refused, made from one that was served. */
  readonly mustRefuse: Readonly<Record<string, (served: Asked) => object>>
}
