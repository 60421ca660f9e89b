import { tool } from '@langchain/core/tools'
import { z } from 'zod'

/** A tool of your own: write others like it. */
export const wordCount = tool(
  ({ text }) => {
    const segments = [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)]
    return `${segments.filter(({ isWordLike }) => isWordLike).length} words`
  },
  {
    name: 'word_count',
    description: 'Counts the words of a text.',
    schema: z.object({ text: z.string() }),
    metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
  },
)
