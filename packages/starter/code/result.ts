import { z } from 'zod'

/** Processor time of the code, in milliseconds. */
export const MAX_CPU_MS = 1_000
/** Of the sandbox with all that it holds. */
export const MAX_MEMORY_MB = 32
export const LIMITS = `at most ${MAX_CPU_MS / 1000} s of processor time and ${MAX_MEMORY_MB} MB`

/** What came of the code, as the model reads it. */
export const CodeResult = z.object({
  text: z.string(),
  isError: z.boolean(),
  /** Whether it may hold text of a page. */
  isWeb: z.boolean(),
})
export type CodeResult = z.output<typeof CodeResult>
