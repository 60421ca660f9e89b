import { answerTable, tableArguments } from '@agent-task-service/starter/table'
import { tool } from '@langchain/core/tools'

/** Sums and the like over a table that stands in the task, or in a page that `web_search` has read in this run. */
export const table = tool(answerTable, {
  name: 'table',
  description: 'Calculates over a table in the task or page.',
  schema: tableArguments,
  // Only what web_search has read is text of the web, and then the run has read the web.
  metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
})
