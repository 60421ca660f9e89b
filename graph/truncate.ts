/** The text, or as much of its beginning as fits in `length` characters with the mark of the cut. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}
