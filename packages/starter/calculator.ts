import { ToolError } from '@agent-task-service/engine/tool'

/** In characters. A list may be longer: see `isList`. */
const LONGEST = 1000
const MOST_NUMBERS = 1000
const PLAIN_NUMBER = /^ ?\[? ?-?\d{1,15}(?:\.\d{1,15})? ?\]? ?$/

/**
 * Evaluates one arithmetic expression on this thread, within milliseconds.
 * @returns `<expression as understood> = <value>`, with `≈` for a rounded value, then one line per assumption
 * @throws {ToolError} saying what to write instead
 * @example
 * await calculate('15% of 240') // '15% of 240 = 36'
 */
export async function calculate(expression: string): Promise<string> {
  if (expression.length > LONGEST && !isList(expression))
    throw new ToolError(
      `The expression has ${expression.length} characters; at most ${LONGEST} are allowed, or one function of at most ${MOST_NUMBERS} plain numbers. Split it.`,
    )
  // Loads mathjs only on first use.
  const { evaluateExpression } = await import('./calculator/calculate.ts')
  return evaluateExpression(expression)
}

/** One function of plain numbers, which are cheap to read and to calculate with. `quantile` takes one number more. */
function isList(expression: string): boolean {
  const [, numbers = ''] = /^ ?[a-z]{1,20} ?\(([^()]*)\) ?$/i.exec(expression) ?? []
  const all = numbers.split(',')
  return all.length <= MOST_NUMBERS + 1 && all.every(one => PLAIN_NUMBER.test(one))
}
