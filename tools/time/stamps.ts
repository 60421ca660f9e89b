/** Decimals after the seconds, by unit and by the number of digits of a present time. */
const [DECIMALS, DIGITS] = [
  { s: 0, ms: 3, us: 6, μs: 6, ns: 9 },
  { 10: 0, 13: 3, 16: 6, 19: 9 },
] as const
const UNIX_TIME =
  /^(@|(?:unix|epoch)(?: time)?(?: ?stamp)? ?|time ?stamp )?(-?)(\d{1,19})(?:\.(\d{1,9}))?(?: ?([munμ]?s)(?:ec(?:ond)?s?)?)?(?: ?(?:utc|gmt|z))?$/

/** Reads Unix time as nanoseconds since 1970: `@1700000000`, `1700000000.25`, `1700000000123`, `@170 ms`. */
export function readEpoch(text: string): bigint | undefined {
  const [, mark, sign = '', whole = '', fraction = '', unit] = UNIX_TIME.exec(text) ?? []
  const usual = DIGITS[whole.length as keyof typeof DIGITS]
  const decimals =
    unit && (mark || usual !== undefined)
      ? DECIMALS[unit as keyof typeof DECIMALS]
      : (usual ?? (mark && whole.length < 13 ? 0 : undefined))
  if (!whole || decimals === undefined) return undefined
  return BigInt(sign + whole + fraction.padEnd(9, '0').slice(0, 9 - decimals))
}

type Rewrite = readonly [form: RegExp, plain: string | ((...match: string[]) => string)]

/** Formats that programs print, rewritten as a date, clock and zone. */
const FORMS: readonly Rewrite[] = [
  // A call around a text or a number: new Date("..."), Timestamp('...', tz='UTC'), np.datetime64('...'), /Date(...)/.
  [
    /^[\w.#~/\\ ]*[([ ]?(["'])([^"']+)\1(?:, ?(?:tz=)?["']([\w/+:-]+)["'])?\)?$/,
    (_, __, time = '', zone) => (zone ? `${time}[${zone}]` : time),
  ],
  [/^[a-z\d._/\\ ]*\((-?\d{9,}(?:\.\d+)?)(?:[+-]\d{4})?[^()\d]*\)[/\\]*$/, '@$1'],
  [/^~[a-z]\[(.*)\]$/, '$1'],
  // Components of a time: datetime.datetime(2026, 3, 1, 15, 0), new Date(2026, 2, 1), LocalDateTime.of(2026, 3, 1).
  [/^([a-z_.]*(?: date)?)\((\d{4}(?:, ?\d+){2,6})(?:, ?(?:tzinfo=)?(.*))?\)$/, fromParts],
  // Python's ctime and Unix's date put the year last.
  [/^((?:[a-z]{3} )?[a-z]{3} \d{1,2}) (\d{1,2}:\d{2}:\d{2}(?: [ap]m)?)( \S{1,6})? (\d{4})$/, '$1 $4 $2$3'],
  // Web server logs.
  [/^\[?(\d{2})\/([a-z]{3})\/(\d{4}):([\d:]+ [+-]\d{4})\]?$/, '$1 $2 $3 $4'],
  // Go and Ruby repeat the offset by name.
  [/( [+-]\d{4}) [a-z]{3,5}(?: m=[+-][\d.]+)?$/, '$1'],
  // Cameras, files, databases.
  [/^(\d{4}):(\d\d):(\d\d)(?= )/, '$1-$2-$3'],
  [/^(\d{4}-\d\d-\d\d)[_t-](\d\d)-(\d\d)-(\d\d)$/, '$1 $2:$3:$4'],
  [/^(\d{8})[_ -]?(\d{6})(?=z?$)/, '$1t$2'],
  // Korean, Chinese, Japanese.
  [/^(\d{4})[年.] ?(\d{1,2})[月.] (?=\d)|^(\d{4})年(\d{1,2})月/, '$1$3-$2$4-'],
  [/^(\d{4}-\d{1,2}-\d{1,2})[日.]/, '$1'],
  // RFC 850 and Oracle: two-digit years as in POSIX, 1969 to 2068.
  [
    /(?<!\d)(\d{1,2})-([a-z]{3})-(\d\d)(?!\d)/,
    (_, day, month, year) => `${day}-${month}-${Number(year) < 69 ? 20 : 19}${year}`,
  ],
]

/** Rewrites what programs print as `2026-03-01 15:00:00 zone`; leaves other text alone. Expects lower case. */
export function normalStamp(text: string): string {
  return FORMS.reduce((stamp, [form, plain]) => stamp.replace(form, plain as string).trim(), text)
}

function fromParts(all: string, callee = '', list = '', zone = ''): string {
  const isJavaScript = /^(?:new date|date\.utc)$/.test(callee)
  // Ambiguous: some languages' `date` counts months from 0.
  if (callee === 'date') return all
  const [year, month, day, ...clock] = list.split(/, ?/)
  const [hour, minute, second, fraction] = [0, 1, 2, 3].map(at =>
    (clock[at] ?? '').padStart(at < 3 ? 2 : isJavaScript ? 3 : 6, '0'),
  )
  const name =
    callee === 'date.utc' ? 'utc' : (/["']([^"']+)["']/.exec(zone)?.[1] ?? zone.replace(/^.*timezone\./, ''))
  return `${year}-${Number(month) + (isJavaScript ? 1 : 0)}-${day} ${hour}:${minute}:${second}.${fraction} ${name}`
}
