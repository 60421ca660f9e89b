/** Levels of arrays and objects that are parsed: V8 takes seconds for millions, and what reads them calls itself for each. */
const MAX_LEVELS = 1_000

/** The value of a JSON text; `undefined` if it is not JSON, or has more levels than `maxLevels`. */
export function parseJson(text: string, maxLevels = MAX_LEVELS): unknown {
  try {
    // A text that is not longer has no room for more.
    return text.length > maxLevels && levelsIn(text) > maxLevels ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
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

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text as it is, anything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The value if it is a text that is not empty. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
