import { tool } from '@langchain/core/tools'
import { type TimeArguments, timeArguments } from './time/arguments.ts'
import { ToolError } from './tool.ts'

export type { TimeArguments }

/**
 * Answers one question line by line, followed by `Note:` lines that say what was assumed.
 * @param now the present, in milliseconds since 1970
 * @throws {ToolError} when an argument is missing, unknown or cannot be read; `message` says what to write
 */
export async function answerTime(args: TimeArguments, now = Date.now()): Promise<string> {
  // Loads on the first question, because calendar arithmetic takes some 30 ms to load.
  const { answer } = await import('./time/answer.ts')
  try {
    return answer(args, now)
  } catch (error) {
    // Input is checked earlier, so a RangeError means that the answer exceeds our range of years, or Temporal's.
    if (error instanceof RangeError) throw new ToolError('That is outside the years 0001 to 9999.')
    throw error
  }
}

/**
 * The time tool: the current time, zone conversions, weekdays, additions and differences.
 * @param clock returns the present in milliseconds since 1970
 * @example
 * const atNoon = createTime(() => Date.UTC(2026, 10, 20, 12))
 * await atNoon.invoke({ operation: 'now', zone: 'Tokyo' })
 * // 'Tokyo (Asia/Tokyo): Friday 2026-11-20 21:00:00 UTC+09:00'
 */
export function createTime(clock: () => number = Date.now) {
  return tool(args => answerTime(args, clock()), {
    name: 'time',
    description: 'The current time, zones and weekdays (convert), date arithmetic.',
    schema: timeArguments,
    metadata: { readOnlyHint: true, instantHint: true },
  })
}

/** The time tool on the system clock. */
export const time = createTime()
