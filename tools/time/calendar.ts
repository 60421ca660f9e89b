import { ToolError } from '../tool.ts'

export const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** A day of the Gregorian calendar, carried back before 1582 (ISO 8601). */
export interface Day {
  year: number
  month: number
  day: number
}

/** @throws {ToolError} when the calendar has no such day, or the year is not 1 to 9999. */
export function checkDay({ year, month, day }: Day): Day {
  if (year < 1 || year > 9999)
    throw new ToolError(`Year ${year} is out of range: years run from 0001 to 9999.`)
  if (month < 1 || month > 12) throw new ToolError(`Month ${month} does not exist: months run from 01 to 12.`)
  const last = daysInMonth(year, month)
  if (day < 1 || day > last) {
    throw new ToolError(
      `${isoDay({ year, month, day })} does not exist: ${MONTHS[month - 1]} ${year} has ${last} days.`,
    )
  }
  return { year, month, day }
}

/** `2026-03-01`. */
export function isoDay({ year, month, day }: Day): string {
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

/** 1 for Monday to 7 for Sunday. */
export function dayOfWeek(day: Day): number {
  return new Date(utcDay(day)).getUTCDay() || 7
}

/**
 * The day of an ISO week.
 * @throws {ToolError} when the year has no such week.
 */
export function dayOfIsoWeek(year: number, week: number, weekday: number): Day {
  const fourth = utcDay({ year, month: 1, day: 4 })
  const monday = fourth - (dayOfWeek({ year, month: 1, day: 4 }) - 1) * DAY_MS
  const date = new Date(monday + ((week - 1) * 7 + weekday - 1) * DAY_MS)
  const thursday = new Date(monday + ((week - 1) * 7 + 3) * DAY_MS)
  if (week < 1 || thursday.getUTCFullYear() !== year) {
    throw new ToolError(
      `ISO week ${week} does not exist in ${year}: weeks run from 1 to 52, or 53 in long years.`,
    )
  }
  return checkDay({ year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() })
}

const DAY_MS = 86_400_000

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  if (month === 2) return leap ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** `Date.UTC` takes years below 100 for the 1900s, hence the detour. */
function utcDay({ year, month, day }: Day): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}
