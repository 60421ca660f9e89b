/** Invisible characters that can alter the text: controls except tab and line feed, and direction overrides. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Untrusted text with invisible characters spelled out: `\u202e` becomes `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .toWellFormed()
    .replace(UNSEEN, character => (character === '\n' || character === '\t' ? character : nameOf(character)))
}

function nameOf(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}

const PIECE_LENGTH = 8000

/** Splits a long text into pieces, at line feeds if possible; joined they equal the text. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = start + PIECE_LENGTH
    const lineEnd = end < text.length ? text.lastIndexOf('\n', end - 1) + 1 : text.length
    const cut = lineEnd > start ? lineEnd : end
    // Never splits a surrogate pair.
    const isPair = cut < text.length && text.charCodeAt(cut) >= 0xdc00 && text.charCodeAt(cut) <= 0xdfff
    pieces.push(text.slice(start, isPair ? cut - 1 : cut))
    start += pieces.at(-1)!.length
  }
  return pieces
}
