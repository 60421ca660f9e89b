import { codeArguments, runCode } from '@agent-task-service/starter/code'
import { tool } from '@langchain/core/tools'

/** Runs JavaScript over what the task and pages hold, in a sandbox. */
export const code = tool(runCode, {
  name: 'code',
  description:
    'Runs JavaScript for its last value. tables[0] is the first table of the task or a page: rows like ' +
    '{city: "Rome", n: 1.5}. Also task (text), json, pages[0].text, exact sum(values), decimal(x).',
  schema: codeArguments,
  metadata: { readOnlyHint: true, idempotentHint: true },
})
