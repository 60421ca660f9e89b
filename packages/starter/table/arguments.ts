import { z } from 'zod'

const text = z.string().optional()

/** The schema of the tool. No member is explained: each token goes with every call of a model. */
export const tableArguments = z
  .strictObject(
    {
      operation: z.enum(['sum', 'mean', 'median', 'min', 'max', 'count', 'top']),
      column: z.string(),
      where: text,
      group: text,
      n: z.int().min(1).optional().meta({ minimum: undefined, maximum: undefined }),
    },
    {
      error: ({ code, keys }) =>
        code === 'unrecognized_keys'
          ? `there is no member ${keys}; write operation, column, where, group or n`
          : undefined,
    },
  )
  // Every provider knows the dialect, and its address costs 17 tokens a call.
  .meta({ $schema: undefined })

export type TableArguments = z.output<typeof tableArguments>
