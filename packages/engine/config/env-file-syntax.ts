/** What is left of a file's syntax in a value: `docker run --env-file` and its like know none, and keep it. */

/**
 * What is left in values, a line for each.
 *
 * @param isStrict whether a variable's value cannot be meant like that
 */
export function leftoversIn(
  values: Readonly<Record<string, string>>,
  isStrict: (name: string) => boolean,
): { readonly refused: readonly string[]; readonly tolerated: readonly string[] } {
  const lines = Object.entries(values).flatMap(([name, value]) => {
    const problem = leftoverIn(value)
    return problem === undefined ? [] : [{ name, line: `${name}: ${problem}` }]
  })
  const linesOf = (strict: boolean) =>
    lines.filter(({ name }) => isStrict(name) === strict).map(({ line }) => line)
  return { refused: linesOf(true), tolerated: linesOf(false) }
}

/** @returns what is wrong with quotes around the value, or a line break written at its end; absent: it has neither */
function leftoverIn(value: string): string | undefined {
  if (isQuoted(value)) return 'expected no quotes around it; docker --env-file keeps them'
  if (value.endsWith('\\n')) return 'expected no \\n at its end; docker --env-file keeps the two characters'
  return undefined
}

/** Why a value is refused: for what is left in it, else as its setting says. */
export function explainRefusal(message: string, value = ''): string {
  const hasComment = /\s#/.test(value)
  return (
    leftoverIn(value) ?? message + (hasComment ? '; docker --env-file keeps a comment behind a value' : '')
  )
}

function isQuoted(value: string): boolean {
  const [first = ''] = value
  return value.length > 1 && `"'`.includes(first) && value.endsWith(first)
}
