/** Waits, a turn of the event loop at a time, for something that nothing announces. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setImmediate(resolve))
}
