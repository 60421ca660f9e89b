import { setImmediate } from 'node:timers/promises'
import { type TableArguments, tableArguments } from './table/arguments.ts'

export { type TableArguments, tableArguments }

/**
 * One operation on one column of a table in the task, or in a page that this run has read.
 *
 * @param config the tool's: the conversation is in its state, the run in its `configurable`
 * @returns the result, then which rows were used and which cells were left out; framed if it holds text of a page
 * @throws {ToolError} saying what was expected, what came, and what to write
 */
export async function answerTable(args: TableArguments, config: unknown): Promise<string> {
  // Loads decimals and the CSV reader only on first use.
  const { answer } = await import('./table/answer.ts')
  // Calls side by side let others have this thread in between: a megabyte takes a tenth of a second.
  await setImmediate()
  return answer(args, config as never)
}
