/** Decimals of a second that a number counts in, by its digits: Python's and JavaScript's clocks, and databases. */
const DECIMALS = new Map([
  [10, 0],
  [13, 3],
  [16, 6],
  [19, 9],
])

/** Reads Unix time: `@1700000000`, `1700000000.25`, `1700000000123`. Nanoseconds since 1970. */
export function readEpoch(text: string): bigint | undefined {
  const found = /^(@|unix(?: time)? ?|epoch ?)?(-?)(\d{1,19})(?:\.(\d{1,9}))?$/.exec(text)
  const [, mark, sign, whole = '', fraction = ''] = found ?? []
  const decimals = DECIMALS.get(whole.length) ?? (mark && whole.length < 13 ? 0 : undefined)
  if (!found || decimals === undefined) return undefined
  const digits = (fraction + '0'.repeat(9)).slice(0, 9 - decimals)
  return BigInt(sign + whole + digits)
}

/** Turns what programs print into `2026-03-01 15:00:00 zone`; anything else stays as it is. All in lower case. */
export function normalStamp(text: string): string {
  return (
    text
      .replace(/^"(.*)"$/, '$1')
      // Python's ctime and Unix's date: the year comes last.
      .replace(
        /^((?:[a-z]{3} )?[a-z]{3} \d{1,2}) (\d{1,2}:\d{2}:\d{2}(?: [ap]m)?)( \S{1,6})? (\d{4})$/,
        '$1 $4 $2$3',
      )
      // A web server's log.
      .replace(/^\[?(\d{2})\/([a-z]{3})\/(\d{4}):([\d:]+ [+-]\d{4})\]?$/, '$1 $2 $3 $4')
      // Python's repr.
      .replace(/^(?:datetime\.)?datetime\((.*?)(?:, tzinfo=(.*))?\)$/, (_, parts: string, zone = '') => {
        const [year, month, day, ...clock] = parts.split(', ')
        const [hour, minute, second, micro] = [0, 1, 2, 3].map(at =>
          (clock[at] ?? '').padStart(at === 3 ? 6 : 2, '0'),
        )
        const name = /'([^']+)'/.exec(zone)?.[1] ?? zone.replace('datetime.timezone.', '')
        return `${year}-${month}-${day} ${hour}:${minute}:${second}.${micro} ${name}`.trim()
      })
  )
}
