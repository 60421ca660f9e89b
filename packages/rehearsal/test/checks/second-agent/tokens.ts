const TOKEN = /[\p{L}\p{N}]{1,4}|[^\s\p{L}\p{N}]/gu

/** Words and marks, long words in pieces of four letters: close to a tokenizer's count, and it grows with the text. */
export function tokensIn(text: string): number {
  return text.match(TOKEN)?.length ?? 0
}

/** The beginning of a text, at most this many tokens. */
export function cut(text: string, tokens = Number.POSITIVE_INFINITY): string {
  const last = [...text.matchAll(TOKEN)].slice(0, tokens).at(-1)
  return last === undefined ? '' : text.slice(0, last.index + last[0].length)
}
