import { setTimeout as sleep } from 'node:timers/promises'
import type { ModelEntry } from '../graph/model/model-entry.ts'
import { loadTokenizer } from '../graph/run/tokens.ts'
import { calculate } from '../tools/calculator.ts'
import { answerTime } from '../tools/time.ts'
import type { Config } from './config.ts'

/** Long enough to serve requests that arrived meanwhile. */
const PAUSE_MS = 20

/**
 * Loads what the first tasks need, once the service listens: piece by piece, so that requests are served in between. What
 * fails to load fails again in the first task, which reports it.
 */
export async function warmUp(
  { model }: Config,
  entries: readonly ModelEntry[],
  tools: readonly string[],
): Promise<void> {
  const isOffline = model.provider === 'offline'
  const parts = [
    ...entries.map(entry => async () => void (await entry.price?.())),
    ...(isOffline ? [loadTokenizer] : []),
    ...(isOffline && tools.includes('time')
      ? [() => answerTime({ operation: 'now', to_zones: ['Tokyo'] })]
      : []),
    ...(tools.includes('calculator') ? [() => calculate('1 + 1')] : []),
  ]
  for (const load of parts) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    await load().catch(() => undefined)
  }
}
