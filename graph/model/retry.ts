import { RunFailure } from '../run/failure.ts'
import { ModelConnectionError, ModelReplyError } from './model-error.ts'

/** Tries of one model before the next is asked, or the run fails. */
export const MAX_ATTEMPTS = 4
/** A provider that asks for a longer wait is left for the fallback model, where there is one. */
export const LONGEST_WAIT_BEFORE_FALLBACK_MS = 5_000
const FIRST_BACKOFF_MS = 250

/** Doubling, with up to as much again at random so that runs which failed together do not return together. */
export function backoffMs(tries: number): number {
  return FIRST_BACKOFF_MS * 2 ** (tries - 1) * (1 + Math.random())
}

/** What the caller of a model may do about an error. */
export interface Verdict {
  /** Whether the same request may be answered at another try or by another model. */
  readonly retry: boolean
  /** Milliseconds the provider asks to wait before the next try. */
  readonly retryAfterMs?: number | undefined
  /** What to tell the caller of the run: our own words, a status and a code, never the provider's text. */
  readonly failure: RunFailure
}

/** HTTP statuses of a provider that may pass: overload, rate limits. */
const PASSING = new Set([408, 409, 425, 429])
/** Codes of a 429 that no waiting cures. */
const SPENT = new Set(['insufficient_quota', 'billing_hard_limit_reached'])

/** Reads any error of a model call; `now` in epoch milliseconds, for a Retry-After that is a date. */
export function judge(error: unknown, now = Date.now()): Verdict {
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof RunFailure) return { retry: false, failure: link }
    if (link instanceof ModelReplyError) {
      const failure = new RunFailure(
        'model_unavailable',
        'the model provider sent a reply that cannot be used',
        { cause: error },
      )
      return { retry: !link.oversized, failure }
    }
    // Beside our own, what other clients' errors hide: a lost connection, a body that is not JSON.
    if (link instanceof ModelConnectionError || link instanceof SyntaxError || isFetchFailure(link))
      return { retry: true, failure: unreachable(error) }
  }
  const { status, code, headers } = (error ?? {}) as { status?: unknown; code?: unknown; headers?: unknown }
  if (typeof status === 'number') {
    const detail = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : ''
    const passing = (PASSING.has(status) || status >= 500) && !SPENT.has(detail)
    const message = `the model provider answered HTTP ${status}${detail && ` (${detail})`}`
    const failure = new RunFailure(passing ? 'model_unavailable' : 'model_rejected', message, {
      cause: error,
    })
    return { retry: passing, retryAfterMs: retryAfterMs(headers, now), failure }
  }
  return { retry: false, failure: new RunFailure('internal', 'the model call failed', { cause: error }) }
}

/** How Node's `fetch` says that a connection failed; any other TypeError is a mistake in the code. */
function isFetchFailure(error: Error): boolean {
  return (
    error instanceof TypeError &&
    (/^(fetch failed|terminated)$/.test(error.message) || error.cause instanceof Error)
  )
}

function unreachable(cause: unknown): RunFailure {
  return new RunFailure('model_unavailable', 'the model provider cannot be reached, or broke off its reply', {
    cause,
  })
}

/** `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: unknown, now: number): number | undefined {
  const value = headers instanceof Headers ? headers.get('retry-after')?.trim() : undefined
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  // A date begins with its weekday; Date.parse would also read "-5" as one.
  const ms = /^[a-z]{3}/i.test(value) ? Date.parse(value) - now : Number.NaN
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
