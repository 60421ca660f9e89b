/** JSON in which a `bigint` is a number with all its digits. */
export function json(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? `@${inner}@` : inner))
  return text.replaceAll(/"@(-?\d+)@"/g, '$1')
}

/** A whole number as a tool got it, in whatever form holds all its digits. */
export function digitsOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Parsed JSON in which a whole number that no double holds is a text; `undefined`: it is none. */
export function exactly(text: string): unknown {
  const reviver = (_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? source : value
  try {
    return (JSON.parse as (text: string, reviver: unknown) => unknown)(text, reviver)
  } catch {
    return undefined
  }
}
