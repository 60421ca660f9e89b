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
  let lineEnd = -1
  for (const { 0: run, index: at } of text.matchAll(/`+/g)) {
    const { length } = run
    if (at > lineEnd) lineEnd = lineEndIn(text, at)
    if (open && closes(open, at, length)) {
      spans.push([open.at, at + length])
      open = undefined
    } else if (!open || (!isFence(open) && at > open.lineEnd)) open = { at, length, lineEnd }
  }
  if (open && isFence(open)) spans.push([open.at, text.length])
  let next = 0
  return at => {
    // Nearly always asked from left to right.
    if ((spans[next - 1]?.[1] ?? 0) > at) next = 0
    while (next < spans.length && (spans[next]?.[1] ?? 0) <= at) next += 1
    return (spans[next]?.[0] ?? at) < at
  }
}

function isFence({ length }: Run): boolean {
  return length >= 3
}

/** Whether a run of backticks ends the code that another one begins. */
function closes(open: Run, at: number, length: number): boolean {
  return isFence(open) ? length >= open.length : length === open.length && at < open.lineEnd
}

function lineEndIn(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
