import { ModelConnectionError, ModelReplyError } from '@agent-task-service/openai-compatible/errors'
import type { IsEchoed } from './echoes.ts'
import { type ErrorReport, readReport } from './error-report.ts'
import { ModelStalledError, type ModelTrouble, modelTroubles } from './model-trouble.ts'
import { roomBesidePrompt } from './refused-limits.ts'
import { requestedWait, resetMs, waitIn } from './retry-after.ts'
import { causesOf, RunFailure } from './run-failure.ts'

export interface ClassifiedError {
  readonly trouble: ModelTrouble
  /** Whether any other request would have failed too. Never inferred from text, which may quote the task. */
  readonly isOutage: boolean
  /** Whether waiting is all it takes: the model is loading or overloaded, its server is not listening yet, or this machine is short of descriptors. */
  readonly isShortOutage?: boolean
  /** Milliseconds that the provider asks us to wait before the next try. */
  readonly retryAfterMs?: number | undefined
  /** The provider's own, if it is one. */
  readonly report?: ErrorReport
  /** What the caller of the run reads: our own words, a status and a code, never the provider's text. */
  readonly failure: RunFailure
}

/**
 * Classifies any error of a model call.
 *
 * @param runMs the time of the whole run: a limit that lasts longer is a spent quota to it
 * @param isEchoed tells words that a refusal may have from the request
 */
export function classifyModelError(
  error: unknown,
  runMs = Number.POSITIVE_INFINITY,
  isEchoed: IsEchoed = () => false,
): ClassifiedError {
  // An error of ours may be inside one of another client.
  for (const link of causesOf(error)) {
    const known = classifyOurs(link, error)
    if (known) return known
  }
  const report = causesOf(error)
    .map(readReport)
    .find(found => found !== undefined)
  if (report) return classifyReport(report, error, runMs, isEchoed)
  const hasNoKey = error instanceof Error && NO_KEY.test(error.message)
  const trouble = hasNoKey ? 'key_rejected' : 'none'
  const failure = failureFor(trouble, hasNoKey ? 'the model has no key' : 'the model call failed', error)
  return { trouble, failure, isOutage: hasNoKey }
}

function failureFor(trouble: ModelTrouble, message: string, cause: unknown): RunFailure {
  return new RunFailure(modelTroubles[trouble].stopReason, message, { cause })
}

/**
 * Classifies an error that we threw, or one of a connection or a reply.
 *
 * @param cause what the failure keeps as its cause
 */
function classifyOurs(error: Error, cause: unknown): ClassifiedError | undefined {
  if (error instanceof RunFailure) {
    const trouble = error.reason === 'empty_answer' ? 'empty_answer' : 'none'
    return { trouble, failure: error, isOutage: false }
  }
  if (error instanceof ModelStalledError)
    return {
      trouble: 'stalled',
      failure: failureFor('stalled', error.message, cause),
      isOutage: error.isSilent,
    }
  if (error instanceof ModelReplyError) {
    const failure = failureFor('passing', 'the model provider sent an unusable reply', cause)
    return { trouble: error.oversized ? 'rejected' : 'passing', failure, isOutage: false }
  }
  if (error instanceof ModelConnectionError || error instanceof SyntaxError || isFetchFailure(error)) {
    const failure = failureFor(
      'passing',
      'the model provider cannot be reached or broke off its reply',
      cause,
    )
    // No descriptor is free on this machine, until another run ends.
    const isShortOutage = hasCode(error, /^(ECONNREFUSED|EMFILE|ENFILE)$/)
    return { trouble: 'passing', failure, isOutage: isUnreachable(error), isShortOutage }
  }
  return undefined
}

function classifyReport(
  report: ErrorReport,
  error: unknown,
  runMs: number,
  isEchoed: IsEchoed,
): ClassifiedError {
  const { status, code, message, headers } = report
  const now = Date.now()
  const known = troubleIn(report, isEchoed)
  const reset = known === 'rate_limited' ? resetMs(headers, now) : undefined
  const retryAfterMs = requestedWait(headers, now) ?? waitIn(message) ?? reset
  const isSpent = known === 'rate_limited' && retryAfterMs !== undefined && retryAfterMs > runMs
  const trouble = isSpent ? 'quota_spent' : known
  const detail = code ?? detailOf(trouble, report)
  const what = status === undefined ? 'reported an error' : `answered HTTP ${status}`
  return {
    trouble,
    failure: failureFor(trouble, `the model provider ${what}${detail && ` (${detail})`}`, error),
    isOutage: meetsEveryRequest(report),
    isShortOutage: trouble === 'rate_limited' || (trouble === 'passing' && NOT_SERVING.has(status ?? 0)),
    retryAfterMs,
    report,
  }
}

/** What a status without a code means. */
function detailOf(trouble: ModelTrouble, { status = 0, message }: ErrorReport): string {
  if (trouble === 'quota_spent') return 'quota spent'
  if (trouble !== 'not_found') return ''
  // Our own words.
  if (REDIRECTS.has(status)) return message
  return /model/i.test(message) ? 'unknown model' : 'unknown path'
}

const REDIRECTS = new Set([307, 308])
/** Temporary HTTP statuses below 500: overload, timeouts. */
const PASSING = new Set([408, 409, 425])
/** The server, or a gateway before it, has nobody to serve the request now; of 52x, Cloudflare and Anthropic. */
const NOT_SERVING = new Set([502, 503, 504, 520, 521, 522, 523, 524, 529])
const TOO_LONG =
  /context[_ ]?(length|window)|maximum (context|prompt|input)|(prompt|input|request) (is )?too (long|large)|too_many_(prompt_)?tokens|too many (prompt|input)? ?tokens|exceeds? the (available|maximum|model'?s?) (context|number of (input )?tokens|input)|input token count|reduce the length|got -\d/i
const CAP =
  /max(imum)?[_ ]?(completion|output|new|generated)?[_ ]?tokens|(in|for) the (completion|output)|requested \d+ output tokens/i
const TOO_LOW =
  /at least|(must|should) be (greater|larger|more) than|below[_ ]min|>=|≥|too (small|low)|higher|increase|raise/i
const TOO_HIGH = /at most|less than|maximum |exceed|too (large|high)|<=|≤|up to/i
const SPENT =
  /insufficient_\w*quota|billing|usage limits?|exceeded your current quota|insufficient (balance|credits?|funds)|credit balance|out of credits|all available credits|spending limit|budget_exceeded/i
/** Of a limit: one by the day or longer, or a balance. None passes while a run waits. */
const LASTING =
  /\b[tr]pd\b|(?<![a-z])(da(y|ily)|week(ly)?|month(ly)?)(?![a-z])|余额不足|欠费|每[日天周月]|上限|has been paused/i
/** Of a limit that passes soon. */
const BY_MINUTE = /\b[tr]pm\b|(per|\/) ?(min(ute)?|sec(ond)?)\b|每(分|秒)/i
/** Codes of DashScope and Volcengine for a bill that is not paid. */
const UNPAID = /\b(arrearage|accountoverdueerror)\b/i
const KEY = /authentication|api[_ ]key|permission_denied|unauthorized/i
/** A wrong key, reported only as a bad request. */
const WRONG_KEY =
  /(incorrect|invalid|wrong|expired) api[ _]key|api[ _]key (is |has )?(not valid|invalid|expired)/i
/** What a chat class says before it calls anybody. */
const NO_KEY =
  /missing credentials|(api[ _]?key|credentials) (is |are |was |were )?(not (found|set)|missing|required)|no api[ _]?key/i
/** A wrong model or path, reported only as a bad request, or even with status 200. */
const NOT_FOUND =
  /invalid[_ ]model\b|not a valid model|model not (exist|found)|model_(decommissioned|deprecated|terms)|unexpected endpoint/i
/** A refusal that comes as a fault of the server: of llama.cpp for schemas, templates and flags, and of gateways. */
const REFUSED_AS_FAULT =
  /schema conversion failed|unrecognized schema|failed to parse (tools|grammar)|jinja|not support|unsupported param/i
const FILTERED =
  /content_filter|content_policy|responsible_?ai|safety|inspection|(?<!case[- ])sensitive|moderation|invalid_prompt|content exists risk|敏感/i

const isVague = (status: number | undefined) => status === undefined || status === 400

interface Words {
  /** The type and the message. */
  readonly words: string
  /** Whether they say so, other than in an echo. */
  readonly says: (pattern: RegExp) => boolean
}

/** In order: the first that fits tells the trouble. */
const SIGNS: readonly (readonly [ModelTrouble, fits: (report: ErrorReport & Words) => boolean])[] = [
  ['quota_spent', ({ status }) => status === 402],
  // Google words a per-minute quota the same way, but adds when to retry.
  [
    'quota_spent',
    ({ status, message, says }) =>
      (says(SPENT) || (status === 429 && says(LASTING) && !says(BY_MINUTE))) &&
      !(status === 429 && waitIn(message) !== undefined),
  ],
  ['quota_spent', ({ type }) => UNPAID.test(type)],
  // A limit by the minute that is smaller than the request.
  ['context_too_long', ({ status, message }) => status === 429 && /request too large/i.test(message)],
  ['rate_limited', ({ status }) => status === 429],
  [
    'rate_limited',
    ({ status, type }) => status === undefined && /rate_?limit|overloaded|resource_exhausted/i.test(type),
  ],
  ['key_rejected', ({ status }) => status === 401 || status === 403],
  ['key_rejected', ({ status, type }) => status === undefined && KEY.test(type)],
  ['key_rejected', ({ status, says }) => isVague(status) && says(WRONG_KEY)],
  ['not_found', ({ status = 0 }) => status === 404 || status === 410 || REDIRECTS.has(status)],
  ['not_found', ({ status, says }) => isVague(status) && says(NOT_FOUND)],
  ['rejected', ({ status, says }) => status === 500 && says(REFUSED_AS_FAULT)],
  ['passing', ({ status = 0 }) => PASSING.has(status) || status >= 500],
  // Groq's code for a malformed tool call by its model.
  ['passing', ({ words }) => /tool_use_failed/.test(words)],
  ['withheld', ({ says }) => says(FILTERED)],
  // If both match, the prompt would fit with a smaller cap on the answer.
  [
    'cap_too_high',
    ({ message, words, says }) => says(CAP) && !isTooLow(words) && roomBesidePrompt(message) !== 0,
  ],
  ['context_too_long', ({ status, says }) => says(TOO_LONG) || status === 413],
  ['passing', ({ status, type }) => status === undefined && !/invalid/i.test(type)],
]

function troubleIn(report: ErrorReport, isEchoed: IsEchoed): ModelTrouble {
  const words = `${report.type} ${report.message}`
  const mayQuote = [400, 413, 422].includes(report.status ?? 0)
  const says = (pattern: RegExp) => {
    const said = pattern.exec(words)?.[0]
    return said !== undefined && !(mayQuote && isEchoed(said))
  }
  return SIGNS.find(([, fits]) => fits({ ...report, words, says }))?.[0] ?? 'rejected'
}

/** A cap that is too low: no lower one would be accepted. */
function isTooLow(words: string): boolean {
  return TOO_LOW.test(words) && !TOO_HIGH.test(words)
}

/** The key is refused, the quota spent, or the model unknown. A router also answers 402 to a cap beyond its credit. */
function meetsEveryRequest({ status = 0, code, message }: ErrorReport): boolean {
  if (status === 402) return !CAP.test(message)
  return [401, 404, 410].includes(status) || code === 'insufficient_quota'
}

/** Codes of connections that were never made; one that breaks later may be due to what was sent. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT|CERT_|ERR_TLS_|.*SELF_SIGNED_CERT|UNABLE_TO_)/

/** Whether a connection was never made. */
export function isUnreachable(error: unknown): boolean {
  return hasCode(error, UNREACHABLE)
}

function hasCode(error: unknown, code: RegExp): boolean {
  return causesOf(error).some(link => 'code' in link && code.test(String(link.code)))
}

/** Whether Node's `fetch` reports a failed connection, or Google's class quotes it; any other TypeError is a bug. */
function isFetchFailure(error: Error): boolean {
  const { message } = error
  if (!(error instanceof TypeError))
    return message.includes(' fetching from ') && /: (fetch failed|terminated)$/.test(message)
  return /^(fetch failed|terminated)$/.test(message) || error.cause instanceof Error
}
