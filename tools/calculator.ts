import { calculate } from '@agent-task-service/starter/calculator'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

/** Exact arithmetic, in this process and within milliseconds. */
export const calculator = tool(({ expression }) => calculate(expression), {
  name: 'calculator',
  description:
    'Exact arithmetic: + - * / ^ ! mod, percentages ("240 + 15%"), functions (sqrt, log(x, base), sin, ' +
    'std, ...), units ("5 km to miles").',
  schema: z.strictObject(
    { expression: z.string() },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' ? `there is no member ${keys}; write expression` : undefined,
    },
  ),
  metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
})
