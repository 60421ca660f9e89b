import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../agents/exchange.ts'
import { isBusy } from './replies.ts'

/** How long is waited before a request is sent again, and in all. */
const LEAST_MS = 1_000
const MOST_MS = 5_000
const PATIENCE_MS = 3 * MOST_MS

/**
 * Sends a request again that was refused with `Retry-After`, after that time: 1 to 5 s each, and 15 s in all. Until one
 * request has been answered, the others wait. What is still refused then ends that, until a request succeeds.
 */
export class Retries {
  readonly #signal: AbortSignal
  /** What was refused, and whether the checks had no other request in progress. */
  readonly refused: { readonly exchange: Exchange; readonly alone: boolean }[] = []
  #inTurn: Promise<unknown> = Promise.resolve()
  #isSpent = false
  /** Load in progress, which is not sent again. */
  #loads = 0

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** @param sendOnce sends the request anew each time */
  async send(sendOnce: () => Promise<Exchange>, isAlone: () => boolean): Promise<Exchange> {
    if (this.#loads > 0) return await sendOnce()
    const send = async () => {
      const exchange = await sendOnce()
      if (retryAfterMs(exchange) !== undefined) this.refused.push({ exchange, alone: isAlone() })
      return exchange
    }
    await this.#inTurn
    const exchange = await send()
    if (exchange.status === 200) this.#isSpent = false
    if (this.#isSpent || retryAfterMs(exchange) === undefined) return exchange
    const again = this.#inTurn.then(() => this.#again(send, exchange))
    this.#inTurn = again.catch(() => {})
    return await again
  }

  async #again(send: () => Promise<Exchange>, refusal: Exchange): Promise<Exchange> {
    let exchange = refusal
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; ) {
      const waitMs = retryAfterMs(exchange)
      if (waitMs === undefined) return exchange
      waitedMs += await this.#rest(waitMs)
      exchange = await send()
    }
    this.#isSpent = retryAfterMs(exchange) !== undefined
    return exchange
  }

  /** Sends what a check of load is about: a refusal stands. Whoever is refused is waited for at the end. */
  async load<Result>(work: () => Promise<readonly Result[]>, exchangeOf: (result: Result) => Exchange) {
    this.#loads += 1
    const results = await work().finally(() => {
      this.#loads -= 1
    })
    const waits = results.flatMap(result => retryAfterMs(exchangeOf(result)) ?? [])
    if (waits.length > 0) await this.#rest(Math.max(...waits))
    return results
  }

  /** @returns how many milliseconds that was */
  async #rest(ms: number): Promise<number> {
    const bounded = Math.min(Math.max(ms, LEAST_MS), MOST_MS)
    await sleep(bounded, undefined, { signal: this.#signal }).catch(() => {})
    return bounded
  }
}

/** In milliseconds, from seconds or a date; undefined for what is no refusal, or has none that can be read. */
function retryAfterMs(exchange: Exchange): number | undefined {
  const value = exchange.headers['retry-after']
  if (value === undefined || !isBusy(exchange)) return undefined
  const ms = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
