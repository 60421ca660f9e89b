import { decodeHTMLStrict } from 'entities/decode'
import { visible } from './passages.ts'
import { MARK, unmarked, written } from './raised-text.ts'

/**
 * Turns text from the web into one harmless line: removes formatting tags, control and invisible characters, decodes
 * entities, collapses white space, and cuts it to `limit` UTF-16 units.
 *
 * Because it cannot start a new line, it cannot imitate the structure of the result text.
 */
export function plainLine(raw: string, limit: number): string {
  // Tags and entities take up space, so read more than will be shown, but not all of a huge text. Entities are decoded
  // once (`&amp;lt;` is the text `&lt;`) and only with their semicolon: `?a=1&copy=2` is part of an address.
  const text = written(decodeHTMLStrict(withoutTags(unmarked(raw.slice(0, limit * 8 + 1000)))))
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
  /<\/?(?:a|abbr|b|bdi|br|cite|code|dd|del|div|dl|dt|em|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|q|s|script|section|small|span|strike|strong|style|sub|sup|table|td|th|tr|tt|u|ul|wbr)(?:[\s/][^<>]*)?>/gi

/** Marks raised, lowered and struck text. */
export function withMarks(text: string): string {
  return text.replace(/<(\/?)(sup|sub|s|del|strike)(?:\s[^<>]*)?>/gi, (_, slash: string, name: string) => {
    const small = name.toLowerCase()
    const [begin, end] = small === 'sup' || small === 'sub' ? MARK[small] : MARK.struck
    return slash === '' ? begin : end
  })
}

/** Replaces elements that separate words by a space and removes the others. */
function withoutTags(text: string): string {
  return withMarks(text.replace(/<!--[^<>]*-->/g, '')).replace(TAG, tag =>
    /^<\/?(?:br|dd|div|dt|h[1-6]|hr|li|p|pre|section|t[dhr])\b/i.test(tag) ? ' ' : '',
  )
}
