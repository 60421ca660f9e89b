const AT_ONCE = 10

/** Does work on all, a few at a time: agents mostly wait. */
export async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const next = items.values()
  const worker = async () => {
    for (const item of next) results.push(await work(item))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}
