import { setTimeout as sleep } from 'node:timers/promises'
import { loadTokenizer } from '../../run/tokens.ts'

/** Long enough for requests that came meanwhile. */
const PAUSE_MS = 20

/** Loads what the first tasks need, in parts with room for requests between them. */
export async function warmUp(): Promise<void> {
  const parts = [
    loadTokenizer,
    () => import('../../../tools/calculator/calculate.ts'),
    () => import('../../../tools/time/operations.ts'),
    async () => (await import('../../../tools/time/find-zone.ts')).findZone('Tokyo'),
    async () => (await import('./questions.ts')).readQuestions('2+2'),
  ]
  for (const load of parts) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    await load()
  }
}
