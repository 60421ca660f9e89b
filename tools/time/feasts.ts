import feasts from './feasts.json' with { type: 'json' }

/** Holidays on a fixed date; excludes movable ones such as Easter. */
const days = new Map(
  Object.entries(feasts).flatMap(([date, names]) => {
    const [month = 0, day = 0] = date.split('-').map(Number)
    return names
      .replaceAll("'", '')
      .split(', ')
      .map(name => [name, { month, day }] as const)
  }),
)
/** Longest first, so that Christmas Eve does not match as Christmas. */
const names = [...days.keys()].sort((a, b) => b.length - a.length)

/** Pattern source that captures a holiday's name, in lower case without apostrophes. */
export const FEAST = `(?:the )?(${names.join('|')})(?![a-z]| island)`

/** The date of a holiday captured by `FEAST`. */
export function feastDay(name: string) {
  return days.get(name)!
}
