import { setImmediate } from 'node:timers/promises'
import { type TableArguments, tableArguments } from './table/arguments.ts'

export { type TableArguments, tableArguments }

/** Calls side by side take turns of the event loop, so that others have this thread in between. */
let lastTurn: Promise<void> = Promise.resolve()

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
  lastTurn = lastTurn.then(() => setImmediate())
  await lastTurn
  return answer(args, config as never)
}
