/** Words and marks, long words in pieces of four letters: near to what a tokenizer says, and it grows with the text. */
export function tokensIn(text: string): number {
  return text.match(/[\p{L}\p{N}]{1,4}|[^\s\p{L}\p{N}]/gu)?.length ?? 0
}
