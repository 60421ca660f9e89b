const table = `
new year's day 1 1, new year 1 1, epiphany 1 6, valentine's day 2 14, st. patrick's day 3 17, april fools' day 4 1
earth day 4 22, may day 5 1, juneteenth 6 19, fourth of july 7 4, bastille day 7 14, halloween 10 31
all saints' day 11 1, all souls' day 11 2, guy fawkes night 11 5, armistice day 11 11, remembrance day 11 11
veterans day 11 11, christmas eve 12 24, christmas day 12 25, christmas 12 25, boxing day 12 26, new year's eve 12 31`

/** Feasts that fall on one day of every year, the longer name first. Those that move, as Easter, are not among them. */
export const FEASTS: ReadonlyMap<string, readonly [month: number, day: number]> = new Map(
  [...table.matchAll(/([a-z.' ]+?) (\d+) (\d+)/g)]
    .map(([, name = '', month, day]) => [name.trim(), [Number(month), Number(day)]] as const)
    .sort(([a], [b]) => b.length - a.length),
)
