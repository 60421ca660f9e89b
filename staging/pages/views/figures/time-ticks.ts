const SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const MINUTES = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/**
 * The labels of a time axis: the time of day, and beneath it the day where another begins.
 *
 * @param splits seconds since 1970
 * @param step seconds from one to the next
 */
export function timeTicks(splits: readonly number[], step: number): string[] {
  let dayBefore = ''
  return splits.map(split => {
    const date = new Date(split * 1000)
    const day = DAY.format(date)
    if (step >= 86_400) return day
    const time = (step < 60 ? SECONDS : MINUTES).format(date)
    const isOther = day !== dayBefore
    dayBefore = day
    return isOther ? `${time}\n${day}` : time
  })
}
