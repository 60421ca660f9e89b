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
