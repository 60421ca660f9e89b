import feasts from './feasts.json' with { type: 'json' }

/** Days of every year. Those that move, as Easter does, are left out. */
const days = new Map(
  Object.entries(feasts).flatMap(([date, names]) => {
    const [month = 0, day = 0] = date.split('-').map(Number)
    return names
      .replaceAll("'", '')
      .split(', ')
      .map(name => [name, { month, day }] as const)
  }),
)
/** The longest name first: Christmas Eve is no Christmas. */
const names = [...days.keys()].sort((a, b) => b.length - a.length)

/** Source of a pattern whose group is the name of a feast, in lower case, without apostrophes. */
export const FEAST = `(?:the )?(${names.join('|')})(?![a-z]| island)`

/** The day of a feast by what that group holds. */
export function feastDay(name: string) {
  return days.get(name)!
}
