import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentDefinition } from '../agent/definition.ts'
import type { Config } from '../config/config.ts'
import type { ModelEntry } from '../model/model-entry.ts'
import { loadTokenizer } from '../run/count-tokens.ts'

/** Long enough to serve requests that arrived meanwhile. */
const PAUSE_MS = 20

/**
 * Loads what the first tasks need, once the service listens: piece by piece, so that requests are served in between. What
 * fails to load fails again in the first task, which reports it.
 */
export async function warmUp(
  agent: Pick<AgentDefinition, 'warmUp'>,
  { model }: Pick<Config, 'model'>,
  entries: readonly ModelEntry[],
  tools: readonly string[],
): Promise<void> {
  const parts = [
    ...entries.map(entry => async () => void (await entry.price?.())),
    ...(model.provider === 'offline' ? [loadTokenizer] : []),
    ...(agent.warmUp?.(tools, model) ?? []),
  ]
  for (const load of parts) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    await load().catch(() => undefined)
  }
}
