/** The prebuilt agent with a minimal prompt and tool. */
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { calculator } from '../../tools/calculator.ts'
import { servePrebuilt } from './prebuilt-agent.ts'

const small = tool(async ({ expression }) => String(await calculator.invoke({ expression })), {
  name: 'calculator',
  description: 'Calculates an arithmetic expression.',
  schema: z.object({ expression: z.string() }),
})
servePrebuilt('You are a helpful assistant.', [small])
