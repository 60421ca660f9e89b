/** Line breaks, escapes of a terminal, and signs that turn the direction of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** What an agent wrote as text to be shown: on one line, and nothing in it moves a terminal. */
export function visible(text: string): string {
  return text.replace(UNSEEN, sign => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
