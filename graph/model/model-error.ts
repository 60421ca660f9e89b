/** Usage in the provider's own words, where a reply that cannot be used still reports it. */
export interface ReportedUsage {
  readonly prompt_tokens?: number
  readonly completion_tokens?: number
}

/** The provider could not be reached, or hung up. */
export class ModelConnectionError extends Error {
  override readonly name = 'ModelConnectionError'

  constructor(cause: unknown) {
    super('no connection to the model provider', { cause })
  }
}

/** A reply that came, and that is not what the protocol promises. */
export class ModelReplyError extends Error {
  override readonly name = 'ModelReplyError'
  readonly usage: ReportedUsage | undefined
  /** Another try would only cost the same again. */
  readonly oversized: boolean

  constructor(
    message: string,
    { usage, oversized = false }: { usage?: ReportedUsage | undefined; oversized?: boolean } = {},
  ) {
    super(message)
    this.usage = usage
    this.oversized = oversized
  }
}
