/** Days of every year; `=` joins names of one feast. Those that move, as Easter does, are left out. */
const table = `
new year's day = new year's = new year 1 1, epiphany = three kings' day 1 6, orthodox christmas 1 7, burns night 1 25
australia day 1 26, groundhog day = candlemas 2 2, valentine's day = valentine's 2 14, st david's day 3 1
international women's day 3 8, pi day 3 14, st patrick's day = st patrick's = st paddy's day 3 17
april fools' day = april fools' 4 1, earth day 4 22, st george's day 4 23, anzac day 4 25, king's day 4 27
walpurgis night 4 30, may day 5 1, star wars day 5 4, cinco de mayo 5 5, juneteenth 6 19, midsummer day 6 24
canada day 7 1, fourth of july = us independence day 7 4, bastille day 7 14, assumption day = assumption 8 15
german unity day = day of german unity 10 3, halloween = hallowe'en 10 31, all saints' day = all saints' 11 1
all souls' day = all souls' = day of the dead 11 2, guy fawkes night = guy fawkes day = bonfire night 11 5
armistice day = remembrance day = veterans day = singles' day 11 11, st andrew's day 11 30
st nicholas' day = st nicholas day 12 6, immaculate conception 12 8, st lucy's day = st lucia's day 12 13
christmas eve = xmas eve 12 24, christmas day = xmas day = christmas = xmas 12 25
boxing day = st stephen's day 12 26, new year's eve = nye = silvester 12 31`

const days = new Map(
  [...table.matchAll(/([a-z'= ]+?) (\d+) (\d+)/g)].flatMap(([, names = '', month, day]) =>
    names.split(' = ').map(name => [plain(name), { month: Number(month), day: Number(day) }] as const),
  ),
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
