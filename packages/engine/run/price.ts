/** Tokens of a model call, as providers bill them. */
export interface BilledTokens {
  /** Cached ones included. */
  readonly inputTokens: number
  /** Reasoning included. */
  readonly outputTokens: number
  /** Input tokens read from the provider's cache. */
  readonly cachedTokens?: number | undefined
}

/** What a call costs, in US dollars. */
export type Price = (tokens: BilledTokens) => number

const published = new WeakSet<Price>()

/** Marks a price as one that nobody has set: what the provider says of a call is nearer. */
export function asPublished(price: Price): Price {
  published.add(price)
  return price
}

/**
 * What a call has cost: by the price that its owner has set, else what its provider reports, else by the published price. A 0 of
 * the provider counts only without any price, since gateways report it for what they do not bill themselves.
 *
 * @returns `undefined` if nobody knows
 */
export function costBy(
  price: Price | undefined,
  tokens: BilledTokens,
  reported: number | undefined,
): number | undefined {
  const isBelieved = reported === 0 ? !price : !price || published.has(price)
  return reported !== undefined && isBelieved ? reported : amountOf(price, tokens)
}

/** Whatever a price does, the call is recorded: `undefined` if it gives no amount. */
function amountOf(price: Price | undefined, tokens: BilledTokens): number | undefined {
  try {
    const usd = price?.(tokens)
    return usd !== undefined && usd >= 0 && Number.isFinite(usd) ? usd : undefined
  } catch {
    return undefined
  }
}

/** What a run's model calls cost. */
export interface Cost {
  /** US dollars; `undefined` if the price of one of the calls is unknown. */
  readonly usd: number | undefined
  /** Whether it includes calls whose usage the provider did not report. */
  readonly isEstimate: boolean
  /** Input tokens read from the provider's cache. */
  readonly cachedTokens: number
}

/** A cost as the run's log line and its events tell it. */
export function spent({ usd, isEstimate }: Pick<Cost, 'usd' | 'isEstimate'>) {
  return { cost_usd: usd ?? null, ...(isEstimate && { cost_estimated: true }) }
}

/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number
  /** Absent: the price of other input. */
  readonly cached_input?: number | undefined
  readonly output: number
}

export function priceAt({ input, cached_input = input, output }: Rates): Price {
  return ({ inputTokens, outputTokens, cachedTokens = 0 }) =>
    ((inputTokens - cachedTokens) * input + cachedTokens * cached_input + outputTokens * output) / 1e6
}

/** The largest number of tokens that a call reading `inputTokens` may generate for `usd`; below 0 if it may not start. */
export function tokensFor(usd: number, price: Price, inputTokens: number): number {
  const toRead = price({ inputTokens, outputTokens: 0 })
  if (toRead > usd) return -1
  const perToken = (price({ inputTokens, outputTokens: 1e6 }) - toRead) / 1e6
  return perToken > 0 ? Math.floor((usd - toRead) / perToken) : Number.POSITIVE_INFINITY
}
