/** Total length of the texts that are remembered, in characters. */
const MAX_REMEMBERED = 2 ** 20

/** Masks each text once, since a conversation comes back with every step. Make one for each run, to keep texts no longer. */
export function maskOnce(mask: (text: string) => string): (text: string) => string {
  const remembered = new Map<string, string>()
  let length = 0
  return text => {
    const known = remembered.get(text)
    if (known !== undefined) return known
    length += text.length
    if (length > MAX_REMEMBERED) {
      remembered.clear()
      length = text.length
    }
    const masked = mask(text)
    remembered.set(text, masked)
    return masked
  }
}

/**
 * Creates a function that copies values as JSON would, with each text masked, names of members too. Make one for each run.
 *
 * @example
 * const masked = maskedCopies(mask.external)
 * masked({ input: 'key=hunter2-hunter2', at: new Date(0) }) // { input: 'key=[redacted]', at: '1970-01-01T00:00:00.000Z' }
 */
export function maskedCopies(mask: (text: string) => string): <Value>(value: Value) => Value {
  const masked = maskOnce(mask)
  const copy = (value: unknown, key: string): unknown => {
    const plain = hasToJson(value) ? value.toJSON(key) : value
    if (typeof plain === 'string') return masked(plain)
    if (typeof plain !== 'object' || plain === null) return plain
    if (Array.isArray(plain)) return plain.map((item, index) => copy(item, String(index)))
    const members: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(plain))
      if (member !== undefined) members[masked(name)] = copy(member, name)
    return members
  }
  return value => copy(value, '') as typeof value
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return (
    typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
  )
}
