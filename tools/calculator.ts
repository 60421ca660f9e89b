import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { ToolError } from './tool.ts'

const LONGEST = 1000

export async function calculate(expression: string): Promise<string> {
    if (expression.length > LONGEST)
      throw new ToolError(
        `The expression has ${expression.length} characters; at most ${LONGEST} are allowed. Split it.`,
      )
    // Loads mathjs only on first use.
    const { calculate } = await import('./calculator/calculate.ts')
    return calculate(expression)
}
/** Evaluates one arithmetic expression, synchronously on this thread. */
export const calculator = tool(
  async ({ expression }) => calculate(expression),
  {
    name: 'calculator',
    description:
      'Exact arithmetic; use it for every calculation. Takes + - * / ^ ! mod, percentages ("15% of 240", ' +
      '"240 + 15%"), functions (sqrt, round, ln, log(x, base), sin, gcd, combinations, mean, ...), pi, e, units ' +
      '("5 km to miles", "60 mph * 2 h"). Angles are radians unless "30 deg". No variables, dates or currencies.',
    schema: z.object({
      expression: z.string().describe('Such as "(1,250 - 15%) / 3"'),
    }),
    metadata: { readOnlyHint: true, idempotentHint: true },
  },
)
