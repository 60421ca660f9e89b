import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { ToolError } from './tool.ts'

const LONGEST = 1000

/**
 * Evaluates one arithmetic expression on this thread, within milliseconds.
 * @returns `<expression as understood> = <value>`, with `≈` for a rounded value, then one line per assumption
 * @throws {ToolError} saying what to write instead
 * @example
 * await calculate('15% of 240') // '15% of 240 = 36'
 */
export async function calculate(expression: string): Promise<string> {
  if (expression.length > LONGEST)
    throw new ToolError(
      `The expression has ${expression.length} characters; at most ${LONGEST} are allowed. Split it.`,
    )
  // Loads mathjs only on first use.
  const { evaluateExpression } = await import('./calculator/calculate.ts')
  return evaluateExpression(expression)
}

export const calculator = tool(({ expression }) => calculate(expression), {
  name: 'calculator',
  description:
    'Exact arithmetic; use it for every calculation. Takes + - * / ^ ! mod, percentages ("15% of 240", ' +
    '"240 + 15%"), functions (sqrt, round, ln, log(x, base), sin, combinations, mean, ...), pi, e, units ' +
    '("5 km to miles", "60 mph * 2 h").',
  schema: z.strictObject(
    { expression: z.string() },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' ? `there is no member ${keys}; write expression` : undefined,
    },
  ),
  metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
})
