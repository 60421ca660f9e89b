import { onTestFinished, vi } from 'vitest'

/**
 * Stops time until the test ends.
 *
 * @returns lets milliseconds pass, with what follows from each timer but for what sockets bring
 */
export function stopTime(now = '2026-01-01T00:00:00.000Z'): (milliseconds: number) => Promise<void> {
  vi.useFakeTimers({ now: new Date(now), toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return async milliseconds => {
    await vi.advanceTimersByTimeAsync(milliseconds)
    for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve))
  }
}

/** What agents answer, until the test ends. */
export function stubFetch(fetch: typeof globalThis.fetch): void {
  vi.stubGlobal('fetch', fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
}
