import { setTimeout as sleep } from 'node:timers/promises'
import { HumanMessage } from '@langchain/core/messages'
import { loadTokenizer } from '../../run/tokens.ts'

/** Long enough to serve requests that arrived meanwhile. */
const PAUSE_MS = 20

/** Loads what the first tasks need, in steps, so that requests are served in between. */
export async function warmUp(): Promise<void> {
  const read = async (task: string) =>
    (await import('./decide.ts')).decide([new HumanMessage(task)], ['time', 'calculator'])
  const parts = [loadTokenizer, () => read('What time is it in Tokyo?'), () => read('What is 2+2?')]
  for (const load of parts) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    await load()
  }
}
