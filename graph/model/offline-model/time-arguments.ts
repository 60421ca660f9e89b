import type { Moment } from './moment.ts'

/** Arguments for the time tool. */
export type TimeArguments = Readonly<Record<string, string | readonly string[]>>

const NOW: Moment = { words: 'now', hasDate: true, hasClock: true }
const TODAY: Moment = { words: 'today', hasDate: true, hasClock: false }
/** Units that days alone do not answer in. */
const FINE = /hour|hr|min|sec/

/** Without zones the tool tells UTC, and says so. */
export function now(zones?: readonly string[]): TimeArguments {
  return zones ? { operation: 'now', zones } : { operation: 'now' }
}

/** Only a time of day can be converted: of a date alone, nobody asks what it is elsewhere. */
export function convert(
  { words, hasClock }: Moment,
  from: string,
  to: readonly string[],
): TimeArguments | undefined {
  return hasClock ? { operation: 'convert', time: words, from_zone: from, to_zones: to } : undefined
}

/** `unit`: what was asked for; the tool counts dates in days, so finer units need midnights. */
export function difference(unit: string, start: Moment, end: Moment): TimeArguments {
  const words = (moment: Moment) =>
    FINE.test(unit) && !moment.hasClock ? `${moment.words} 00:00` : moment.words
  return { operation: 'difference', start: words(start), end: words(end) }
}

export function until(unit: string, end: Moment): TimeArguments {
  return difference('', end.hasClock || FINE.test(unit) ? NOW : TODAY, end)
}

export function since(unit: string, start: Moment): TimeArguments {
  return difference('', start, start.hasClock || FINE.test(unit) ? NOW : TODAY)
}

export function add(duration: string, time: Moment = NOW): TimeArguments {
  return { operation: 'add', time: time.words, duration }
}

export function subtract(duration: string, time: Moment = NOW): TimeArguments {
  return { operation: 'add', time: time.words, duration: `-${duration}` }
}

export function weekday({ words, hasDate }: Moment): TimeArguments | undefined {
  return hasDate ? { operation: 'weekday', time: words } : undefined
}
