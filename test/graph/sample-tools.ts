import { z } from 'zod'
import { defineTool, type Tool, ToolError } from '../../tools/tool.ts'

/** Adds two numbers; refuses a sum over 1000, as a tool that the model can use better next time. */
export const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  schema: z.object({ a: z.number(), b: z.number() }),
  run({ a, b }) {
    if (a + b > 1000) throw new ToolError('the sum is over 1000; add smaller numbers')
    return String(a + b)
  },
})

/** A tool without arguments. */
export function tool(name: string, run: Tool['run']): Tool<z.ZodType> {
  return { name, description: `Does ${name}.`, schema: z.object({}), run }
}
