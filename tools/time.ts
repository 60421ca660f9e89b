import { answerTime, timeArguments } from '@agent-task-service/starter/time'
import { tool } from '@langchain/core/tools'

/**
 * The time tool: the current time, zone conversions, weekdays, additions and differences.
 * @param clock returns the present in milliseconds since 1970
 * @example
 * const atNoon = createTime(() => Date.UTC(2026, 10, 20, 12))
 * await atNoon.invoke({ operation: 'now', zone: 'Tokyo' })
 * // 'Tokyo (Asia/Tokyo): Friday 2026-11-20 21:00:00 UTC+09:00'
 */
export function createTime(clock = () => Date.now()) {
  return tool((args, config) => answerTime(args, clock(), config), {
    name: 'time',
    description: 'The current time, zones and weekdays (convert), date arithmetic.',
    schema: timeArguments,
    metadata: { readOnlyHint: true, instantHint: true },
  })
}

/** The time tool on the system clock. */
export const time = createTime()
