import feasts from './feasts.json' with { type: 'json' }

/** Month and day of each holiday on a fixed date; movable ones such as Easter are not known. */
const days = new Map(
  Object.entries(feasts).flatMap(([date, names]) => {
    const monthAndDay = date.split('-').map(Number)
    return names
      .replaceAll("'", '')
      .split(', ')
      .map(name => [name, monthAndDay] as const)
  }),
)
/** Longest first, so that Christmas Eve does not match as Christmas. */
const names = [...days.keys()].sort((a, b) => b.length - a.length)

/** Pattern source that captures a holiday's name, in lower case without apostrophes. */
export const FEAST = `(?:the )?(${names.join('|')})(?![a-z]| island)`

/** Month and day of a holiday captured by `FEAST`. */
export function feastDay(name: string): readonly number[] {
  return days.get(name)!
}
