import type { PlatformParts } from '@agent-task-service/rehearsal/platform'

type Clock = NonNullable<PlatformParts['clock']>

/** A clock that moves only when a test advances it. */
export interface ManualClock extends Clock {
  /** Runs due timers in order, and lets the effects of each finish before the next. */
  advance(milliseconds: number): Promise<void>
}

export function manualClock(start = '2026-01-01T00:00:00.000Z'): ManualClock {
  const timers = new Set<{ at: number; call: () => void }>()
  let now = 0
  const next = (until: number) => [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
  return {
    monotonic: () => now,
    date: () => new Date(Date.parse(start) + now),
    after(milliseconds, call) {
      const timer = { at: now + milliseconds, call }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(milliseconds) {
      const until = now + milliseconds
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        now = timer.at
        timers.delete(timer)
        timer.call()
        await settle()
      }
      now = until
      await settle()
    },
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(resolve => setImmediate(resolve))
}
