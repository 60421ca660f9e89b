import { Temporal } from 'temporal-polyfill'
import { formatDate, formatPlace, formatSpan } from './format.ts'
import { readZones } from './moments.ts'
import type { Reckoning } from './reckoning.ts'
import type { Zone } from './zone.ts'

/** The current difference between two zones; a note says when it changes within a year. */
export function zoneGap(first: string, second: string, reckoning: Reckoning): string[] {
  const others = readZones([second], reckoning)
  return readZones([first], reckoning).flatMap(one => others.map(other => gapOf(one, other, reckoning)))
}

function gapOf(one: Zone, other: Zone, { now, notes }: Reckoning): string {
  const [here, there] = [now.toZonedDateTimeISO(one.id), now.toZonedDateTimeISO(other.id)]
  const gap = inWords(here, there)
  const change = [here, there]
    .flatMap(time => time.getTimeZoneTransition('next') ?? [])
    .map(time => [time, inWords(time.withTimeZone(one.id), time.withTimeZone(other.id))] as const)
    .filter(
      ([time, then]) => then !== gap && Temporal.ZonedDateTime.compare(time, here.add({ days: 366 })) < 0,
    )
    .sort(([a], [b]) => Temporal.ZonedDateTime.compare(a, b))[0]
  if (change) {
    const [time, then] = change
    notes.add(`From ${formatDate(time)} on, when the clocks change, ${one.label} is ${then} ${other.label}.`)
  }
  return `${formatPlace(here, one)} is ${gap} ${formatPlace(there, other)}.`
}

/** `14 hours ahead of`. */
function inWords(here: Temporal.ZonedDateTime, there: Temporal.ZonedDateTime): string {
  const gap = there.toPlainDateTime().until(here.toPlainDateTime(), { largestUnit: 'hours' })
  return gap.blank ? 'at the same time as' : `${formatSpan(gap)} ${gap.sign > 0 ? 'ahead of' : 'behind'}`
}
