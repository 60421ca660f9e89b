import { setTimeout as sleep } from 'node:timers/promises'

/** Polls a condition, for changes that emit no event. Between two looks others may have the processor. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(1)
}
