export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON that a text holds; undefined where it holds none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON object that a text holds; one without members where it holds none. */
export function objectIn(text: string): JsonObject {
  const value = jsonIn(text)
  return isObject(value) ? value : {}
}

/** A text as it is; anything else as nothing. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
