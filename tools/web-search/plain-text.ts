import { decodeHTMLStrict } from 'entities/decode'
import { visible } from './passages.ts'

/**
 * Text from the web made into one harmless line: formatting tags removed, entities decoded, control and
 * invisible characters removed, white space folded, cut to `limit` UTF-16 units.
 *
 * One line is what keeps the frame of the result text safe: it can start no line of its own.
 */
export function plainText(raw: string, limit: number): string {
  // Tags and entities take room, so more is read than may be shown; the rest of a huge text is not.
  // Entities are decoded once, `&amp;lt;` is the text `&lt;`, and only with their semicolon: `?a=1&copy=2` is an address.
  const text = decodeHTMLStrict(withoutTags(raw.slice(0, limit * 8 + 1000)))
  // What a number names that is no character.
  return clip(visible(text.replaceAll('\uFFFD', '')), limit)
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
