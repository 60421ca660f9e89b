import { tool } from '@langchain/core/tools'
import { timeArguments } from './time/arguments.ts'
import { ToolError } from './tool.ts'

/**
 * The time tool: the current time, zone conversions, differences, additions and weekdays.
 * @param clock returns the present in milliseconds since 1970
 * @example
 * const atNoon = createTime(() => Date.UTC(2026, 10, 20, 12))
 * await atNoon.invoke({ operation: 'now', zones: ['Tokyo'] })
 * // 'Tokyo (Asia/Tokyo): Friday 2026-11-20 21:00:00 UTC+09:00'
 */
export function createTime(clock: () => number = Date.now) {
  return tool(
    async args => {
      // Loads on the first question, because calendar arithmetic takes some 30 ms to load.
      const { reckon } = await import('./time/operations.ts')
      try {
        return reckon(args, clock())
      } catch (error) {
        // Input is checked earlier, so a RangeError means that the answer exceeds our range of years, or Temporal's.
        if (error instanceof RangeError) throw new ToolError('That is outside the years 0001 to 9999.')
        throw error
      }
    },
    {
      name: 'time',
      description:
        'Current time, conversion between zones, differences, date arithmetic, weekday and ISO week. ' +
        'Use it for anything about time or dates.',
      schema: timeArguments,
      metadata: { readOnlyHint: true },
    },
  )
}

/** The time tool on the system clock. */
export const time = createTime()
