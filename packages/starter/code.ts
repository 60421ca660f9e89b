import { z } from 'zod'

/** The schema of the tool. */
export const codeArguments = z
  .strictObject(
    { code: z.string() },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys' ? `there is no member ${keys}; write code` : undefined,
    },
  )
  // Every provider knows the dialect, and its address costs 17 tokens a call.
  .meta({ $schema: undefined })

/**
 * Runs JavaScript over the tables, the JSON and the text of the task, and over pages that this run has read.
 *
 * @param config the tool's: the conversation is in its state, the run in its `configurable`
 * @returns the value, then what was printed and which tables were read; framed if it may hold text of a page
 * @throws {ToolError} with what the code threw, or the limit that it met, and what there is
 */
export async function runCode(args: z.output<typeof codeArguments>, config: unknown): Promise<string> {
  const { answerCode: answer } = await import('./code/answer.ts')
  return await answer(args.code, config as never)
}
