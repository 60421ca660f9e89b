import feasts from './feasts.json' with { type: 'json' }

/** Month and day of each holiday or observance on a fixed date, by the name that `FEAST` captures. */
export const feastDays = new Map(
  Object.entries(feasts).flatMap(([date, names]) => {
    const monthAndDay = date.split('-').map(Number) as [month: number, day: number]
    return names
      .replaceAll("'", '')
      .split(', ')
      .map(name => [name, monthAndDay] as const)
  }),
)
/** Longest first, so that Christmas Eve does not match as Christmas. */
const names = [...feastDays.keys()].sort((a, b) => b.length - a.length)

/** Pattern source that captures a holiday's name, in lower case without apostrophes. */
export const FEAST = `(?:the )?(${names.join('|')})(?![a-z]| island)`
