import { tool } from '@langchain/core/tools'
import { schemaOf } from './schema-of.ts'
import type { BenchTool } from './tools.ts'

export function langChainTool(benchTool: BenchTool) {
  const { name, description, call } = benchTool
  const metadata = { readOnlyHint: true, idempotentHint: true }
  return tool(args => call(args), { name, description, schema: schemaOf(benchTool), metadata })
}
