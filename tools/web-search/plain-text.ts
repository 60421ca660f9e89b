import { visible } from './passages.ts'

/**
 * Text from the web made into one harmless line: formatting tags removed, entities decoded, control and
 * invisible characters removed, white space folded, cut to `limit` UTF-16 units.
 *
 * One line is what keeps the frame of the result text safe: it can start no line of its own.
 */
export function plainText(raw: string, limit: number): string {
  // Tags and entities take room, so more is read than may be shown; the rest of a huge text is not.
  return clip(visible(decodeEntities(withoutTags(raw.slice(0, limit * 8 + 1000)))), limit)
}

/** Cuts between characters, never within a surrogate pair, and marks the cut. */
function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  if (limit < 1) return ''
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * The elements search engines put into titles and snippets. Other things in angle brackets are left:
 * `Array<string>` and `a < b` are text.
 */
const TAG =
  /<\/?(?:a|abbr|b|bdi|br|cite|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|li|mark|ol|p|pre|q|s|script|section|small|span|strong|style|sub|sup|table|td|th|tr|tt|u|ul|wbr)(?:[\s/][^<>]*)?>/gi

/** Elements that separate words leave a space, the others nothing: `H<sub>2</sub>O` is one word. */
function withoutTags(text: string): string {
  return text
    .replace(/<!--[^<>]*-->/g, '')
    .replace(TAG, tag => (/^<\/?(?:br|dd|div|dt|h[1-6]|hr|li|p|pre|section|t[dhr])\b/i.test(tag) ? ' ' : ''))
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  middot: '·',
  bull: '•',
  deg: '°',
  times: '×',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
}

/** Decodes once: `&amp;lt;` is the text `&lt;`. An unknown entity is left as it stands. */
function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
