import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import type { BenchTool } from './tools.ts'

export function langChainTool({ name, description, properties, call }: BenchTool) {
  const types = { string: z.string(), number: z.number() }
  const shape = Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, types[type]]))
  const hints = { readOnlyHint: true, idempotentHint: true }
  return tool(args => call(args), { name, description, schema: z.object(shape), metadata: hints })
}
