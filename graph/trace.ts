/** What is told of a run's calls, in plain values: each as it begins and as it ends. Moments are `performance.now()`. */
export interface RunTrace {
  modelCall(start: ModelCallStart): (end: ModelCallEnd) => void
  toolCall(start: ToolCallStart): (end: ToolCallEnd) => void
}

/** One try of a model call. */
export interface ModelCallStart {
  readonly startedAt: number
  readonly model: string
  /** Cap on the tokens to generate, where the run has one. */
  readonly maxTokens: number | undefined
  /** Made when it is asked for: most traces leave out what was said. */
  messages(): readonly TracedMessage[]
}

export interface ModelCallEnd extends CallEnd {
  /** As the run's metrics count it. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Absent where no answer came. */
  readonly response?: ModelResponse | undefined
}

/** Names and ids are the provider's own words. */
export interface ModelResponse {
  readonly id: string | undefined
  readonly model: string | undefined
  readonly finishReason: string | undefined
  message(): TracedMessage
}

export interface ToolCallStart {
  readonly startedAt: number
  /** Absent where there is no tool of the name that the model asked for. */
  readonly tool: string | undefined
  /** The model's name for the call. */
  readonly callId: string
  /** JSON */
  readonly args: string
}

export interface ToolCallEnd extends CallEnd {
  /** What the tool returned. */
  readonly result?: string | undefined
}

interface CallEnd {
  readonly endedAt: number
  /** The kind of error it ended in: an HTTP status, the name of an error's class, why the run ended; absent: none. */
  readonly errorType?: string | undefined
}

export interface TracedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly args: unknown }[]
  /** The call that a message of a tool answers. */
  readonly toolCallId?: string | undefined
}
