/** Where an object or array stands in a text. */
export interface Range {
  readonly start: number
  /** Behind its last character; `undefined`: the text ends before it does. */
  readonly end: number | undefined
}

/** The outermost objects and arrays in a text, in order. Brackets in strings do not count. */
export function rangesOfJson(text: string): Range[] {
  const ranges: Range[] = []
  const tokens = tokensFrom(0)
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    const { 0: token, index: start } = found
    if (token !== '{' && token !== '[') continue
    const end = endOfJson(text, start)
    ranges.push({ start, end })
    if (end === undefined) break
    tokens.lastIndex = end
  }
  return ranges
}

/** Behind the object or array that begins at an index; `undefined`: the text ends before it does. */
export function endOfJson(text: string, start: number): number | undefined {
  const tokens = tokensFrom(start)
  let depth = 0
  for (let found = tokens.exec(text); found; found = tokens.exec(text)) {
    if (found[0] === '{' || found[0] === '[') depth += 1
    else if (found[0] === '}' || found[0] === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return undefined
}

/** Finds brackets, strings with their escapes, and a string that does not end. */
function tokensFrom(start: number): RegExp {
  const tokens = /[{}[\]]|"(?:[^"\\]|\\.)*(?:"|\\?$)/gs
  tokens.lastIndex = start
  return tokens
}
