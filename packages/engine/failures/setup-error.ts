/**
 * The service cannot start with what it was given: the environment, a model, a graph or a tool. `message` is for the
 * operator: it says what was expected, and holds no secret's value.
 */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** What came in place of what was expected, without its content, which may be secret. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const { name = 'Object' } = value.constructor ?? {}
  return name === 'Object' ? `{ ${Object.keys(value).join(', ')} }` : name
}
