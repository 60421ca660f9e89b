import { codeArguments, runCode } from '@agent-task-service/starter/code'
import { tool } from '@langchain/core/tools'

/** Runs JavaScript over what the task and pages hold, in a sandbox. Off: `registry.ts` has no line for it. */
export const code = tool(runCode, {
  name: 'code',
  description:
    'Runs JavaScript; the last expression or return is the result. tables[0] is the first table of the task or of pages read: ' +
    'an array of rows like {city: "Rome", amount: 1.5}. There are task (text), json (array), pages[0].text, and exact sum(values), decimal(x).',
  schema: codeArguments,
  metadata: { readOnlyHint: true, idempotentHint: true },
})
