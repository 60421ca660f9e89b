import { tool } from '@langchain/core/tools'
import { timeArguments } from './time/arguments.ts'
import { ToolError } from './tool.ts'

export { cityNames, findZone } from './time/find-zone.ts'
export type { Zone, ZoneMatch } from './time/zone.ts'

/**
 * The time tool: the current time, conversions between zones, differences, additions, weekdays.
 * @param clock the present in milliseconds since 1970
 */
export function createTime(clock: () => number = Date.now) {
  return tool(
    async args => {
      // Calendar arithmetic takes some 30 ms to load, so it waits for the first question.
      const { reckon } = await import('./time/operations.ts')
      try {
        return reckon(args, clock())
      } catch (error) {
        // Temporal throws RangeError for moments beyond the years it can hold; everything else is checked before.
        if (error instanceof RangeError) {
          throw new ToolError('That lies outside the years 0001 to 9999, which is as far as can be reckoned.')
        }
        throw error
      }
    },
    {
      name: 'time',
      description:
        'Tells the current time and date anywhere, converts times between zones, and reckons with dates: differences, ' +
        'a date plus or minus a duration, weekday and ISO week. Knows clock changes. Use it for any question about ' +
        'time or dates, including what today is. An ambiguous name or time gets all its readings.',
      schema: timeArguments,
    },
  )
}

/** The time tool on the machine's own clock. */
export const time = createTime()
