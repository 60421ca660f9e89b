const DIGITS = String.raw`(?:\d{1,3}(?:[,'\u00a0\u2009\u202f ]\d{3})+(?!\d)|\d+)`
const POWER = String.raw`(?:[eE][-+]?\d+|\s?[×x*·]\s?10(?:\^|\*\*)\(?[-−]?\d+\)?)`
const NUMBER = new RegExp(
  String.raw`(?<![\w.])(?<sign>(?<![\w)\]]|[\d)\]] )[-−])?(?<whole>${DIGITS})(?:[.](?<part>\d+))?(?<power>${POWER})?`,
  'gu',
)
const DECIMAL_COMMA = /(?<![\w.,])(?<sign>(?<![\w)\]]|[\d)\]] )[-−])?(?<whole>\d+),(?<part>\d+)(?![\d,])/gu

/**
 * The numbers that a text may mean, in every reading: `1,234.5`, `1 234`, `−3`, `1.2e6`, `1.2 × 10^6`, and `2,5` as
 * two and a half as well.
 */
export function numbersIn(text: string): number[] {
  const plain = [...text.matchAll(NUMBER)].map(({ groups }) => toNumber(groups))
  const withComma = [...text.matchAll(DECIMAL_COMMA)].map(({ groups }) => toNumber(groups))
  return [...plain, ...withComma]
}

function toNumber({ sign, whole = '', part = '', power = '' }: Record<string, string> = {}): number {
  const digits = `${whole.replace(/[^\d]/g, '')}.${part || '0'}`
  const exponent = /[-−+]?\d+(?=\)?$)/u.exec(power)?.[0].replace('−', '-') ?? '0'
  return (sign ? -1 : 1) * Number(`${digits}e${exponent}`)
}
