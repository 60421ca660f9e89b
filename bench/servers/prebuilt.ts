/** The prebuilt agent with a minimal prompt and tool. */
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { calculate } from '../../tools/calculator.ts'
import { servePrebuilt } from './prebuilt-agent.ts'

// Not by `calculator.invoke`, which would count and record each call twice.
const small = tool(({ expression }) => calculate(expression), {
  name: 'calculator',
  description: 'Calculates an arithmetic expression.',
  schema: z.object({ expression: z.string() }),
})
servePrebuilt('You are a helpful assistant.', [small])
