import { setTimeout as sleep } from 'node:timers/promises'
import { HumanMessage } from '@langchain/core/messages'
import { loadTokenizer } from '../../run/tokens.ts'

/** Long enough for requests that came meanwhile. */
const PAUSE_MS = 20

/** Loads what the first tasks need, in parts with room for requests between them. */
export async function warmUp(): Promise<void> {
  const read = async (task: string) =>
    (await import('./decide.ts')).decide([new HumanMessage(task)], ['time', 'calculator'])
  const parts = [
    loadTokenizer,
    () => import('../../../tools/calculator/calculate.ts'),
    () => import('../../../tools/time/operations.ts'),
    () => import('./decide.ts'),
    // The first of each kind compiles patterns and makes the index of cities.
    () => read('What time is it in Tokyo?'),
    () => read('What is 2+2?'),
  ]
  for (const load of parts) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    await load()
  }
}
