import type { ClassifiedError } from '../failures/classify-error.ts'

/** Tries of one model before the next one is used or the run fails. */
export const MAX_ATTEMPTS = 4
/** Rate limits take longer to pass than other errors. Applies only if there is no fallback. */
const MAX_ATTEMPTS_WHEN_LIMITED = 8
/** If a provider asks for a longer wait and there is another model, that one is used instead. */
const LONGEST_WAIT_BEFORE_FALLBACK_MS = 5_000
const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 10_000

/**
 * How long to wait before retrying the same model, in milliseconds; `undefined`: do not retry it.
 *
 * @param tries so far, 1 or more
 * @param timeLeftMs time left in the run
 * @param hasNext whether there is another model to fall back to
 */
export function waitBeforeRetry(
  { trouble, retryAfterMs }: ClassifiedError,
  tries: number,
  timeLeftMs: number,
  hasNext: boolean,
): number | undefined {
  // The last try may stay silent until the run ends.
  if (trouble === 'stalled') return hasNext ? undefined : 0
  const isPatient = trouble === 'rate_limited' && !hasNext && retryAfterMs === undefined
  if (tries >= (isPatient ? MAX_ATTEMPTS_WHEN_LIMITED : MAX_ATTEMPTS)) return undefined
  const longest = hasNext ? Math.min(timeLeftMs, LONGEST_WAIT_BEFORE_FALLBACK_MS) : timeLeftMs
  const wait = retryAfterMs ?? backoffMs(tries)
  return wait < longest ? wait : undefined
}

/** Doubles each time and adds up to 100 % jitter, so that runs that failed together do not retry together. */
function backoffMs(tries: number): number {
  return Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (tries - 1)) * (1 + Math.random())
}
