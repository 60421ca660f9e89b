import { RunFailure } from '../run/failure.ts'
import { ModelConnectionError, ModelReplyError, ModelStalledError } from './model-error.ts'

/** Tries of one model before the next one is used or the run fails. */
export const MAX_ATTEMPTS = 4
/** Rate limits take longer to pass than other errors. Applies only if there is no fallback. */
const MAX_ATTEMPTS_WHEN_LIMITED = 8
/** If a provider asks for a longer wait and there is another model, that one is used instead. */
const LONGEST_WAIT_BEFORE_FALLBACK_MS = 5_000
const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 10_000

/** Why a model call failed. */
export type Trouble =
  /** Temporary: overload, a lost connection, an unusable reply. */
  | 'passing'
  /** Passes when the provider has capacity again. */
  | 'rate_limited'
  | 'stalled'
  /** The model can serve no request until somebody acts. */
  | 'key_rejected'
  | 'quota_spent'
  | 'not_found'
  /** The same request would fail again; one with a smaller cap or a shorter conversation may succeed. */
  | 'cap_too_high'
  | 'context_too_long'
  /** The answer was empty twice. */
  | 'empty_answer'
  /** This model refuses this request, however often it is sent. */
  | 'rejected'
  /** The provider's filter withheld the answer; no other model is tried. */
  | 'withheld'
  /** The run has ended or failed for another reason. */
  | 'none'

export interface Verdict {
  readonly trouble: Trouble
  /** Milliseconds that the provider asks us to wait before the next try. */
  readonly retryAfterMs?: number | undefined
  /** What the caller of the run reads: our own words, a status and a code, never the provider's text. */
  readonly failure: RunFailure
}

/**
 * How long to wait before retrying the same model, in milliseconds; `undefined`: do not retry it.
 *
 * @param tries so far, 1 or more
 * @param timeLeftMs time left in the run
 * @param hasNext whether there is another model to fall back to
 */
export function waitBeforeRetry(
  { trouble, retryAfterMs }: Verdict,
  tries: number,
  timeLeftMs: number,
  hasNext: boolean,
): number | undefined {
  if (trouble !== 'passing' && trouble !== 'rate_limited' && trouble !== 'stalled') return undefined
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

/** Classifies any error of a model call. `now` is in epoch milliseconds, for a Retry-After that is a date. */
export function judge(error: unknown, now = Date.now()): Verdict {
  const unavailable = (message: string) => new RunFailure('model_unavailable', message, { cause: error })
  for (let link = error; link instanceof Error; link = link.cause) {
    if (link instanceof RunFailure)
      return { trouble: link.reason === 'empty_answer' ? 'empty_answer' : 'none', failure: link }
    if (link instanceof ModelStalledError) return { trouble: 'stalled', failure: unavailable(link.message) }
    if (link instanceof ModelReplyError) {
      const failure = unavailable('the model provider sent an unusable reply')
      return { trouble: link.oversized ? 'rejected' : 'passing', failure }
    }
    // Also finds lost connections and bad JSON inside the errors of other clients.
    if (link instanceof ModelConnectionError || link instanceof SyntaxError || isFetchFailure(link)) {
      const failure = unavailable('the model provider cannot be reached or broke off its reply')
      return { trouble: 'passing', failure }
    }
  }
  const said = wordsOf(error)
  if (!said) {
    const failure = new RunFailure('internal', 'the model call failed', { cause: error })
    return { trouble: 'none', failure }
  }
  const trouble = troubleIn(said)
  const { status, code } = said
  const missing = /model/i.test(said.message) ? 'unknown model' : 'unknown path'
  const detail = code ?? (trouble === 'not_found' ? missing : '')
  const what = status === undefined ? 'reported an error' : `answered HTTP ${status}`
  const message = `the model provider ${what}${detail && ` (${detail})`}`
  const isPassing = trouble === 'passing' || trouble === 'rate_limited'
  const failure = new RunFailure(isPassing ? 'model_unavailable' : 'model_rejected', message, {
    cause: error,
  })
  return { trouble, retryAfterMs: retryAfterMs(said.headers, now) ?? waitIn(said.message), failure }
}

/** What a provider said about an error, whichever client reported it. */
interface ProviderWords {
  readonly status: number | undefined
  readonly code: string | undefined
  readonly type: string
  readonly message: string
  readonly headers: unknown
}

function wordsOf(error: unknown): ProviderWords | undefined {
  if (!(error instanceof Error)) return undefined
  const { status, code, type, headers, message } = error as Error & Record<string, unknown>
  if (typeof status !== 'number' && error.name !== 'ProviderError') return undefined
  const named = [code, type].find(word => typeof word === 'string' && /^[a-z_]{1,40}$/.test(word))
  return {
    status: typeof status === 'number' ? status : undefined,
    code: typeof code === 'string' && code === named ? code : undefined,
    type: `${code ?? ''} ${type ?? ''}`,
    message,
    headers,
  }
}

/** Temporary HTTP statuses below 500: overload, timeouts. */
const PASSING = new Set([408, 409, 425])
const TOO_LONG =
  /context[_ ](length|window)|maximum (context|prompt|input)|(prompt|input|request) (is )?too (long|large)|too_many_(prompt_)?tokens|too many (prompt|input)? ?tokens|exceeds? the (available|maximum|model'?s?) (context|number of (input )?tokens|input)|input token count|reduce the length/i
const CAP =
  /max(imum)?[_ ]?(completion|output|new|generated)?[_ ]?tokens|in the (completion|output)|requested \d+ output tokens/i
const SPENT =
  /insufficient_quota|billing|exceeded your current quota|insufficient (balance|credits?|funds)|credit balance|out of credits|all available credits|spending limit|budget_exceeded/i
const KEY = /authentication|api[_ ]key|permission_denied|unauthorized/i
/** A wrong key, reported only as a bad request. */
const WRONG_KEY = /(incorrect|invalid|wrong) api[ _]key|api[ _]key (is )?(not valid|invalid)/i
/** A wrong model or path, reported only as a bad request, or even with status 200. */
const NOT_FOUND = /invalid[_ ]model\b|not a valid model|model not (exist|found)|unexpected endpoint/i
const FILTERED = /content_filter|content_policy|responsible_?ai|safety/i

function troubleIn({ status, type, message }: ProviderWords): Trouble {
  const words = `${type} ${message}`
  // Google words a per-minute quota the same way, but adds when to retry.
  const comesBack = status === 429 && waitIn(message) !== undefined
  if ((SPENT.test(words) && !comesBack) || status === 402) return 'quota_spent'
  if (status === 429 || (status === undefined && /rate_?limit|overloaded|resource_exhausted/i.test(type)))
    return 'rate_limited'
  if (status === 401 || status === 403 || (status === undefined && KEY.test(type))) return 'key_rejected'
  const isVague = status === undefined || status === 400
  if (isVague && WRONG_KEY.test(message)) return 'key_rejected'
  if (status === 404 || status === 410 || (isVague && NOT_FOUND.test(words))) return 'not_found'
  if (status !== undefined && (PASSING.has(status) || status >= 500)) return 'passing'
  // Groq's code for a malformed tool call by its model.
  if (/tool_use_failed/.test(words)) return 'passing'
  if (FILTERED.test(type)) return 'withheld'
  // If both match, the prompt would fit with a smaller cap on the answer.
  if (CAP.test(words) && roomBesidePrompt(message) !== 0) return 'cap_too_high'
  if (TOO_LONG.test(words) || status === 413) return 'context_too_long'
  if (status === undefined && !/invalid/i.test(type)) return 'passing'
  return 'rejected'
}

/**
 * The largest cap that a provider would have accepted, read from its refusal.
 *
 * @param sent the refused cap
 */
export function acceptedCap(message: string, sent: number): number {
  const room = roomBesidePrompt(message)
  if (room !== undefined && room > 0) return Math.min(room, sent - 1)
  const below = numbersIn(message).filter(number => number > 1 && number < sent)
  if (below.length === 0) return Math.max(1, Math.min(4096, Math.floor(sent / 2)))
  return Math.max(...below) - (message.includes('(exclusive)') ? 1 : 0)
}

/** Tokens of the context that the prompt leaves free, if the provider's message gives both figures. */
function roomBesidePrompt(message: string): number | undefined {
  const context = contextIn(message)
  const prompt =
    /(\d+)(?: tokens)? (?:in|from|for) the (?:messages|prompt|input)|(\d+) (?:of text input|input tokens)/i.exec(
      message,
    )
  if (context === undefined || !prompt) return undefined
  return Math.max(0, context - Number(prompt[1] ?? prompt[2]))
}

/** The size of a model's context in tokens, read from the provider's refusal of a conversation. */
export function contextIn(message: string): number | undefined {
  const found =
    /(?:context (?:length|window|size)|maximum (?:number of )?tokens|allowed|limit|maximum)[^\d]{0,40}?([\d,]{4,})/i.exec(
      message,
    ) ?? /([\d,]{4,})(?: tokens)? ?(?:maximum|limit)/i.exec(message)
  return found ? Number(found[1]!.replaceAll(',', '')) : undefined
}

/** Whole numbers in the message, without those inside other words, such as the date in a model's name. */
function numbersIn(message: string): number[] {
  const found = message.matchAll(/(?<![\w.-])\d[\d,_]*(?![\w-]|\.\d)/g)
  return [...found].map(([text]) => Number(text.replaceAll(/[,_]/g, '')))
}

/** Whether Node's `fetch` reports a failed connection; any other TypeError is a bug. */
function isFetchFailure(error: Error): boolean {
  return (
    error instanceof TypeError &&
    (/^(fetch failed|terminated)$/.test(error.message) || error.cause instanceof Error)
  )
}

/** The wait requested in the message, in milliseconds. OpenAI, Groq and Google do so, some without the header. */
function waitIn(message: string): number | undefined {
  const asked = /(?:try again|retry) in (?:(\d+)m)?([\d.]+)(ms|s)\b/i.exec(message)
  if (!asked) return undefined
  const [, minutes = '0', time, unit] = asked
  return Number(minutes) * 60_000 + Number(time) * (unit === 'ms' ? 1 : 1000)
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
