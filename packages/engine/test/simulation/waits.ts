/** By the simulation's clock. */
export async function sleep(ms: number): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, ms))
}

/** What is lost, hangs or is dead. */
export function never(): Promise<never> {
  return new Promise(() => {})
}
