/** Where an object or array stands in a text. */
export interface Range {
  readonly start: number
  /** Behind its last character; `undefined`: the text ends before it does. */
  readonly end: number | undefined
}

/** The outermost objects and arrays in a text, in order. Brackets in strings do not count. */
export function rangesOfJson(text: string): Range[] {
  const ranges: Range[] = []
  let start = -1
  let depth = 0
  // Brackets, strings with their escapes, and a string that does not end.
  for (const { 0: token, index } of text.matchAll(/[{}[\]]|"(?:[^"\\]|\\.)*(?:"|\\?$)/gs)) {
    if (token.startsWith('"')) continue
    if (token === '{' || token === '[') {
      if (depth === 0) start = index
      depth += 1
    } else if (depth > 0) {
      depth -= 1
      if (depth === 0) ranges.push({ start, end: index + 1 })
    }
  }
  return depth > 0 ? [...ranges, { start, end: undefined }] : ranges
}

/** Behind the object or array that begins at an index; `undefined`: the text ends before it does. */
export function endOfJson(text: string, start: number): number | undefined {
  const tokens = /[{}[\]]|"(?:[^"\\]|\\.)*(?:"|\\?$)/gs
  tokens.lastIndex = start
  let depth = 0
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    if (found[0] === '{' || found[0] === '[') depth += 1
    else if (found[0] === '}' || found[0] === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return undefined
}
