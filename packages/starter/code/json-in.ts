/** How many places that look like JSON and are none are tried: each may take as long as the text. */
const MOST_FAILURES = 50

/** The objects and arrays of JSON in a text, each from the beginning of a line, and what stands around them. */
export function jsonIn(text: string): { readonly values: readonly unknown[]; readonly rest: string } {
  const values: unknown[] = []
  const rest: string[] = []
  let behind = 0
  const begins = /^[ \t]*(?=[[{])/gm
  for (let failures = 0; failures < MOST_FAILURES && begins.test(text); ) {
    const at = begins.lastIndex
    const end = endOf(text, at)
    try {
      values.push(JSON.parse(text.slice(at, end)))
      rest.push(text.slice(behind, at))
      behind = end
      begins.lastIndex = end
    } catch {
      failures += 1
      begins.lastIndex = at + 1
    }
  }
  return { values, rest: [...rest, text.slice(behind)].join('') }
}

/** Where the bracket that opens here is closed. */
function endOf(text: string, from: number): number {
  const marks = /\\.|["[\]{}]/g
  marks.lastIndex = from
  let depth = 0
  let isQuoted = false
  for (let mark = marks.exec(text)?.[0]; mark; mark = marks.exec(text)?.[0]) {
    if (mark === '"') isQuoted = !isQuoted
    else if (!isQuoted && '{['.includes(mark)) depth += 1
    else if (!isQuoted && '}]'.includes(mark)) depth -= 1
    if (depth === 0) return marks.lastIndex
  }
  return text.length
}
