/** Reproducible random numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** A text with a few bytes changed, removed, doubled or truncated. */
export function mutate(text: string, random: () => number): string {
  let mutated = text
  for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1) {
    const at = Math.floor(random() * mutated.length)
    const byte = String.fromCharCode(Math.floor(random() * 256))
    const kind = Math.floor(random() * 5)
    const [before, after] = [mutated.slice(0, at), mutated.slice(at)]
    if (kind === 0) mutated = before + byte + after.slice(1)
    else if (kind === 1) mutated = before + after.slice(1)
    else if (kind === 2) mutated = before + byte + after
    else if (kind === 3) mutated = before + after.slice(0, 8) + after
    else mutated = random() < 0.2 ? before : before + after.slice(3)
  }
  return mutated
}
