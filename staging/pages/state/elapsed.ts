import { useEffect, useState } from 'preact/hooks'

const EVERY_MS = 100

/** Milliseconds since `startedAt` (`performance.now()`), updated until the end is known. */
export function useElapsed(startedAt: number, endedAt: number | null): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    if (endedAt !== null) return
    const timer = setInterval(() => setNow(performance.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [endedAt])
  return Math.max(0, (endedAt ?? now) - startedAt)
}
