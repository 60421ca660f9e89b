import { calculate } from '@agent-task-service/starter/calculator'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'

export const calculator = tool(({ expression }) => calculate(expression), {
  name: 'calculator',
  description:
    'Exact arithmetic: + - * / ^ ! mod, percentages ("240 + 15%"), functions, units ("5 km to miles").',
  schema: z.object({ expression: z.string() }),
  metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
})
