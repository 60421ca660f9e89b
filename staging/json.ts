export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Parses JSON; undefined if the text is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses a JSON object; an empty one if the text is not one. */
export function objectIn(text: string): JsonObject {
  const value = jsonIn(text)
  return isObject(value) ? value : {}
}

/** The string itself; '' for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
