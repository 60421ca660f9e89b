import type { ReportedUsage } from '@agent-task-service/messages/usage'
import { membersOf, objectsIn, textIn, toText } from '@agent-task-service/wire/untrusted'

/** The provider could not be reached, or hung up. */
export class ModelConnectionError extends Error {
  override readonly name = 'ModelConnectionError'

  constructor(cause: unknown) {
    super('no connection to the model provider', { cause })
  }
}

/** A reply came, but it does not follow the protocol. */
export class ModelReplyError extends Error {
  override readonly name = 'ModelReplyError'
  readonly usage: ReportedUsage | undefined
  /** Set when a retry would fail the same way. */
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

/** Longest part of a provider's message that is kept, in characters: it is compared with the whole conversation. */
const MAX_MESSAGE_LENGTH = 2_000

/**
 * An error reported by the provider, in a reply of a failing HTTP status or inside one that began well. `message` is the
 * provider's and may quote the prompt or the key.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  /** HTTP status of the reply, or the one named by an error inside a reply, if any. */
  readonly status: number | undefined
  readonly code: string | undefined
  readonly type: string | undefined
  /** The member of the request that the error is about. */
  readonly param: string | undefined
  readonly headers: Headers | undefined
  readonly usage: ReportedUsage | undefined

  /**
   * @param reply JSON in one of many shapes, or a text or web page
   * @param response given if its status is the error's
   */
  constructor(
    reply: unknown,
    {
      response,
      usage,
    }: { response?: Pick<Response, 'status' | 'headers'>; usage?: ReportedUsage | undefined },
  ) {
    const error = errorIn(reply)
    const {
      message,
      detail,
      code,
      type,
      param,
      status: ownStatus,
      n_ctx: context,
      metadata,
    } = membersOf(error)
    // llama.cpp sends the context size in a separate member, and Gemini the time to wait.
    const size = context === undefined ? '' : ` (context size ${context})`
    const delay = retryDelayIn(error)
    const wait = delay === undefined ? '' : ` (retry in ${delay})`
    // OpenRouter's own message tells nothing of what the provider behind it said.
    const { raw } = membersOf(metadata)
    const words = [message ?? detail ?? error, raw].filter(word => word !== undefined).map(toText)
    super(words.join(' ').slice(0, MAX_MESSAGE_LENGTH) + size + wait)
    this.status = response?.status ?? statusIn(ownStatus) ?? statusIn(code)
    this.code = textIn(code)
    this.type = textIn(type) ?? textIn(ownStatus)
    this.param = textIn(param)
    this.headers = response?.headers
    this.usage = usage
  }
}

/** The error: the member `error`, which may be a mere string, or else the whole reply; Google wraps it in a list. */
function errorIn(reply: unknown): unknown {
  const first = Array.isArray(reply) ? reply[0] : reply
  const { error } = membersOf(first)
  if (typeof error === 'string') return { ...membersOf(first), message: error }
  return error === undefined || error === null ? first : errorIn(error)
}

/** Seconds as `34.07s`, in one of Google's `details`. */
function retryDelayIn(error: unknown): string | undefined {
  const { details } = membersOf(error)
  const delays = objectsIn(details).map(({ retryDelay }) => textIn(retryDelay))
  return delays.find(delay => delay !== undefined && /^[\d.]{1,20}s$/.test(delay))
}

function statusIn(value: unknown): number | undefined {
  const status = Number(value)
  return Number.isInteger(status) && status >= 300 && status <= 599 ? status : undefined
}
