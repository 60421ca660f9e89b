/** Letters and digits without a pattern. */
export function unbroken(length: number): string {
  let state = 1
  const letter = () => {
    state = (state * 48_271) % 2_147_483_647
    return (state % 36).toString(36)
  }
  return Array.from({ length }, letter).join('')
}

export const words = 'the quick brown fox '.repeat(3_000)
