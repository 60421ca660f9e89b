/** Levels of arrays and objects that are parsed: V8 takes seconds for millions, and what reads them calls itself for each. */
const MAX_LEVELS = 1_000

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown

/** The value of a JSON text; `undefined` if it is not JSON, or has more levels than `maxLevels`. */
export function parseJson(text: string, maxLevels = MAX_LEVELS, reviver?: Reviver): unknown {
  try {
    // A text that is not longer has no room for more.
    if (text.length > maxLevels && levelsIn(text) > maxLevels) return undefined
    return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1])
  } catch {
    return undefined
  }
}

/** An integer with more digits than a number holds; `JSON.stringify` writes it as it came. */
export interface ExactInteger {
  readonly rawJSON: string
}

// TypeScript does not know them yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): ExactInteger
  isRawJSON(value: unknown): value is ExactInteger
}

export { isRawJSON as isExactInteger }

/** The same value as `parseJson`, but each integer that a number cannot hold is an `ExactInteger`. */
export function parseExactJson(text: string): unknown {
  return parseJson(text, MAX_LEVELS, /\d{16}/.test(text) ? exactInteger : undefined)
}

function exactInteger(_key: string, value: unknown, { source }: { readonly source: string }): unknown {
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
  return isInexact ? rawJSON(source) : value
}

const [QUOTE, BACKSLASH] = ['"', '\\'].map(character => character.charCodeAt(0))

/** How deep arrays and objects nest in a JSON text. */
function levelsIn(text: string): number {
  let [depth, levels, isText] = [0, 0, false]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (isText && code === BACKSLASH) at += 1
    else if (code === QUOTE) isText = !isText
    else if (isText) continue
    else if (text[at] === ']' || text[at] === '}') depth -= 1
    else if (text[at] === '[' || text[at] === '{') levels = Math.max(levels, ++depth)
  }
  return levels
}

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object's members; none of anything else. */
export function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** The objects in a list; none of anything else. */
export function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Whether the value is an object or a list that is not empty. */
export function hasMembers(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** A text as it is, anything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The value if it is a text that is not empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
