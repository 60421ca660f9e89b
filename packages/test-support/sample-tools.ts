import { ToolError } from '@agent-task-service/engine/tool'
import {
  tool as langChainTool,
  type StructuredToolInterface,
  type ToolRunnableConfig,
} from '@langchain/core/tools'
import { z } from 'zod'

/** Adds two numbers; refuses a sum over 1000, as a tool that the model can call better next time. */
export const add = langChainTool(
  ({ a, b }) => {
    if (a + b > 1000) throw new ToolError('the sum is over 1000; add smaller numbers')
    return String(a + b)
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    schema: z.object({ a: z.number(), b: z.number() }),
    metadata: { readOnlyHint: true },
  },
)

/** A tool with side effects, and what it has sent. */
export function mailTool() {
  const sent: string[] = []
  return { mail: tool('send_mail', () => `sent ${sent.push('mail')}`, { readOnlyHint: false }), sent }
}

/** A tool without arguments. */
export function tool(
  name: string,
  run: (args: object, config: ToolRunnableConfig & { signal: AbortSignal }) => unknown,
  metadata: {
    readonly timeLimitMs?: number
    readonly readOnlyHint?: boolean
    readonly openWorldHint?: boolean
  } = {},
): StructuredToolInterface {
  const fields = { name, description: `Does ${name}.`, schema: z.object({}), metadata }
  return langChainTool((args, config) => run(args, config as never) as string, fields)
}
