interface Run {
  readonly at: number
  readonly length: number
  /** Where its line ends. */
  readonly lineEnd: number
}

/**
 * Where a text in Markdown is code: in fences, also in one that does not end, and between backticks in a line.
 *
 * @returns whether the character at an index is within code
 */
export function codeIn(text: string): (at: number) => boolean {
  const spans: (readonly [start: number, end: number])[] = []
  let open: Run | undefined
  for (const { 0: run, index: at } of text.matchAll(/`+/g)) {
    const { length } = run
    const isClosed = open && (open.length >= 3 ? length >= open.length : length === open.length)
    if (open && isClosed && (open.length >= 3 || at < open.lineEnd)) {
      spans.push([open.at, at + length])
      open = undefined
    } else if (!open || (open.length < 3 && at > open.lineEnd))
      open = { at, length, lineEnd: lineEndIn(text, at) }
  }
  if (open && open.length >= 3) spans.push([open.at, text.length])
  return at => spans.some(([start, end]) => start < at && at < end)
}

function lineEndIn(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
