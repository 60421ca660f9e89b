/** Milliseconds by the first letters of a unit. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const AMOUNT = /(?<![\d.])(\d{1,9}(?:\.\d{1,9})?) ?(ms|[smhd])/g

/** The wait requested in the message, in milliseconds. OpenAI, Groq and Google do so, some without the header. */
export function waitIn(message: string): number | undefined {
  const match =
    /(?:try again|retry|wait|reset) (?:in |for |after )?((?:\d{1,9}(?:\.\d{1,9})? ?(?:ms|[smhd])[a-z]{0,9}[ ,]{0,2}(?:and )?){1,4})/i.exec(
      message,
    ) ?? /"retryDelay":\s*"([\d.]+s)"/.exec(message)
  if (!match) return undefined
  const amounts = match[1]!.toLowerCase().matchAll(AMOUNT)
  return [...amounts].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0)
}

/** `Retry-After-Ms`, or else `Retry-After` in milliseconds: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function requestedWait(headers: unknown, now: number): number | undefined {
  const ms = headerIn(headers, 'retry-after-ms')
  if (ms && /^\d+(\.\d+)?$/.test(ms)) return Number(ms)
  const value = headerIn(headers, 'retry-after')
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  // A date begins with its weekday; Date.parse would also read "-5" as one.
  const wait = /^[a-z]{3}/i.test(value) ? Date.parse(value) - now : Number.NaN
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

/** `X-RateLimit-Reset` as a wait in milliseconds: servers send seconds to wait, or Unix time in seconds or milliseconds. */
export function resetMs(headers: unknown, now: number): number | undefined {
  const value = headerIn(headers, 'x-ratelimit-reset')
  if (!value || !/^\d+(\.\d+)?$/.test(value)) return undefined
  const number = Number(value)
  if (number < 1e9) return number * 1000
  return Math.max(0, (number < 1e12 ? number * 1000 : number) - now)
}

/** @param headers `Headers`, or an object with any spelling of their names, as Node and axios have them */
function headerIn(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name)?.trim()
  const found = Object.entries(headers ?? {}).find(([member]) => member.toLowerCase() === name)
  return found && String(found[1]).trim()
}
