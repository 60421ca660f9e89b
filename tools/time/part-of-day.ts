/** From the first hour, before the last; half past midnight still belongs to the night. */
export const HOURS = { morning: [0, 12], afternoon: [12, 18], evening: [16, 24], night: [17, 25] } as const

export type PartOfDay = keyof typeof HOURS

/** Excludes feasts such as Burns Night. */
const PART =
  /(?<!\b(?:burns|walpurgis|fawkes|bonfire) )\b(?:(this|last|(?:in|on) the|at|the) )?(morning|afternoon|evening|night)\b(?: of(?= ))?|\btonight\b/

/** Cuts the part of the day out of lower-case text: `tonight at 8` leaves `today at 8`. */
export function cutPartOfDay(text: string): { readonly rest: string; readonly part?: PartOfDay } {
  const [all, which, name = 'night'] = PART.exec(text) ?? []
  if (all === undefined) return { rest: text }
  const day = which === 'last' ? 'yesterday' : which === 'this' || all === 'tonight' ? 'today' : ''
  return { rest: text.replace(all, day).trim(), part: name as PartOfDay }
}
