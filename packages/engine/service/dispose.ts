import type { Log } from '../log/log.ts'
import { withTimeLimit } from '../tools/time-limit.ts'

/** How long what an agent's owner made may take, in milliseconds. */
const LIMIT_MS = 5_000

/**
 * Disposes, at once and within 5 s, those parts and tools of an agent's owner that can be disposed. What fails is only logged:
 * nobody waits for it any more.
 *
 * @param owned by the name that the log gives it
 */
export async function disposeOwned(
  owned: readonly (readonly [name: string, object])[],
  log: Log,
): Promise<void> {
  await Promise.all(
    owned.map(async ([name, value]) => {
      const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<
        AsyncDisposable & Disposable
      >
      const dispose = later ?? now
      if (!dispose) return
      const timeoutError = () => new Error(`took longer than ${LIMIT_MS / 1000} s`)
      try {
        await withTimeLimit(undefined, LIMIT_MS, async () => await dispose.call(value), timeoutError)
      } catch (err) {
        log.warn({ what: name, err }, 'not disposed')
      }
    }),
  )
}
