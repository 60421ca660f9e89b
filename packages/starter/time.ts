import { ToolError } from '@agent-task-service/engine/tool'
import type { CallConfig } from './call-config.ts'
import { type TimeArguments, timeArguments } from './time/arguments.ts'

export { type TimeArguments, timeArguments }

/**
 * Answers one question line by line, followed by `Note:` lines that say what was assumed.
 * @param now the present, in milliseconds since 1970
 * @param config the tool's: dates in the task's text settle what `3/4/2026` means
 * @throws {ToolError} when an argument is missing, unknown or cannot be read; `message` says what to write
 */
export async function answerTime(args: TimeArguments, now = Date.now(), config?: unknown): Promise<string> {
  // Loads on the first question, because calendar arithmetic takes some 30 ms to load.
  const { answer } = await import('./time/answer.ts')
  try {
    return answer(args, now, config as CallConfig | undefined)
  } catch (error) {
    // Input is checked earlier, so a RangeError means that the answer exceeds our range of years, or Temporal's.
    if (error instanceof RangeError) throw new ToolError('That is outside the years 0001 to 9999.')
    throw error
  }
}
