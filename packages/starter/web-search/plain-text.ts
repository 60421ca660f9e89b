import { decodeHTMLStrict } from 'entities/decode'
import { visible } from './passages.ts'

/**
 * Turns text from the web into one harmless line: removes formatting tags, control and invisible characters, decodes
 * entities, collapses white space, and cuts it to `limit` UTF-16 units.
 *
 * Because it cannot start a new line, it cannot imitate the structure of the result text.
 */
export function plainText(raw: string, limit: number): string {
  // Tags and entities take up space, so read more than will be shown, but not all of a huge text. Entities are decoded
  // once (`&amp;lt;` is the text `&lt;`) and only with their semicolon: `?a=1&copy=2` is part of an address.
  const text = decodeHTMLStrict(withoutTags(raw.slice(0, limit * 8 + 1000)))
  // Numeric entities that name no character.
  const line = visible(text.replaceAll('\uFFFD', ''))
  // A cut is marked, and never inside a surrogate pair.
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * Elements that search engines put into titles and snippets. Anything else in angle brackets stays: `Array<string>` and
 * `a < b` are text.
 */
const TAG =
  /<\/?(?:a|abbr|b|bdi|br|cite|code|dd|div|dl|dt|em|h[1-6]|hr|i|img|li|mark|ol|p|pre|q|s|script|section|small|span|strong|style|sub|sup|table|td|th|tr|tt|u|ul|wbr)(?:[\s/][^<>]*)?>/gi

/** Replaces elements that separate words by a space and removes the others: `H<sub>2</sub>O` is one word. */
function withoutTags(text: string): string {
  return text
    .replace(/<!--[^<>]*-->/g, '')
    .replace(TAG, tag => (/^<\/?(?:br|dd|div|dt|h[1-6]|hr|li|p|pre|section|t[dhr])\b/i.test(tag) ? ' ' : ''))
}
