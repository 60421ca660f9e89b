import { setTimeout as sleep } from 'node:timers/promises'

/** Polls a condition, for changes that emit no event. Yields to the event loop between polls. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(1)
}
