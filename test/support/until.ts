/** Polls a condition on every turn of the event loop, for changes that emit no event. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve))
}
