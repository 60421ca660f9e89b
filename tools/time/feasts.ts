import feasts from './feasts.json' with { type: 'json' }

/** Days of every year. Those that move, as Easter does, are left out. */
const days = new Map(
  Object.entries(feasts).flatMap(([date, list]) => {
    const [month = 0, day = 0] = date.split('-').map(Number)
    return list.split(', ').map(name => [plain(name), { month, day }] as const)
  }),
)
/** The longest name first: Christmas Eve is no Christmas. */
const names = [...days.keys()].sort((a, b) => b.length - a.length)
/** With apostrophes and `saint` as people write them. */
const source = names
  .map(name => name.replaceAll('s', "'?s'?").replace(/^'\?s'\?t /, '(?:st\\.?|saint) '))
  .join('|')

/** Source of a pattern whose group is the name of a feast, in lower case. */
export const FEAST = `(?:the )?(${source})(?![a-z']| island)`

/** The day of a feast by what that group holds. */
export function feastDay(name: string) {
  return days.get(plain(name))!
}

function plain(name: string): string {
  return name
    .trim()
    .replace(/['.]/g, '')
    .replace(/^saint /, 'st ')
}
