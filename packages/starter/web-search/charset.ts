import { analyse } from 'chardet'
import { Parser } from 'htmlparser2'

/** How much of a page is searched for its declaration, and compared with what languages look like, in bytes. */
const MAX_SAMPLE = 64 * 1024
const PIECE_LENGTH = 4_096
/** Below this confidence, of 100, a guess is worse than the web's old default. */
const LEAST_CONFIDENCE = 20
const OLD_DEFAULT = 'windows-1252'
/** The share of characters beyond ASCII that may be damaged in a text that is decoded rightly. */
const MAX_DAMAGED = 0.1

/** The first two bytes of a byte order mark, or of an element in UTF-16 without one, in latin1. */
const MARKS: Readonly<Record<string, string>> = {
  ÿþ: 'utf-16le',
  þÿ: 'utf-16be',
  'ï»': 'utf-8',
  '<\0': 'utf-16le',
  '\0<': 'utf-16be',
}

/**
 * Decodes a page by its byte order mark; as UTF-8 if it is valid beyond ASCII, whatever is declared; as its header or
 * itself declares, if that damages little; else by what its language looks like.
 *
 * @param declared by the header
 * @param isCut whether they may end inside a character
 */
export function decode(bytes: Uint8Array, declared: string | undefined, isCut: boolean): string {
  // The decoder of that name would read windows-1252.
  const start = Buffer.from(bytes.subarray(0, MAX_SAMPLE)).toString('latin1')
  const mark = MARKS[start.slice(0, 2)]
  /** `undefined` for an unknown charset; if it must fit, also for bytes that do not. */
  const as = (label: string, fatal = false) => {
    try {
      return new TextDecoder(label, { fatal }).decode(bytes, { stream: isCut })
    } catch {
      return undefined
    }
  }
  if (mark !== undefined) return as(mark)!
  const utf8 = as('utf-8', true)
  if (utf8 !== undefined && utf8.length < bytes.length) return utf8
  for (const label of [declared, declaredIn(start)]) {
    const text = label === undefined ? undefined : as(label)
    if (text !== undefined && !isDamaged(text)) return text
  }
  // ISO-2022-JP is ASCII by its bytes.
  if (utf8 !== undefined && !start.includes('\x1B$')) return utf8
  return as(guessed(start)) ?? as(OLD_DEFAULT)!
}

function isDamaged(text: string): boolean {
  const damaged = text.length - text.replaceAll('\uFFFD', '').length
  return damaged > 0 && damaged > MAX_DAMAGED * text.replace(/\p{ASCII}+/gu, '').length
}

/**
 * What a page declares in its elements. Browsers look at its first 1,024 bytes and then once more while they parse.
 *
 * @see https://html.spec.whatwg.org/multipage/parsing.html#prescan-a-byte-stream-to-determine-its-encoding
 */
function declaredIn(start: string): string | undefined {
  let found: string | undefined
  const parser = new Parser({
    onopentag(name, { charset, content = '' }) {
      if (name === 'meta')
        found ??= charset ?? /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(content.slice(0, 500))?.[1]
    },
    onprocessinginstruction(_, data) {
      found ??= /^\?xml\s.{0,100}?encoding\s*=\s*["']([\w.:-]+)/i.exec(data.slice(0, 500))?.[1]
    },
  })
  for (let at = 0; at < start.length && found === undefined; at += PIECE_LENGTH)
    parser.write(start.slice(at, at + PIECE_LENGTH))
  // The declaration was readable as ASCII, so the page is not UTF-16.
  return found !== undefined && /^utf-?16/i.test(found) ? 'utf-8' : found
}

/** The charset that a page's text looks like, without its markup, which is ASCII in any language. */
function guessed(start: string): string {
  const text = start.replace(/<[^<>]*>/g, ' ')
  const [best] = analyse(Buffer.from(text, 'latin1'))
  return best && best.confidence >= LEAST_CONFIDENCE ? best.name : OLD_DEFAULT
}
