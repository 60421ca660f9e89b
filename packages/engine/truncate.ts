/** The text, or as much of its beginning as fits in `length` characters with the mark of the cut. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

/** The text, or its first `length` characters and a note that names both lengths. */
export function truncateWithNote(text: string, length: number, note: string): string {
  if (text.length <= length) return text
  return `${text.slice(0, length).toWellFormed()}\n[${note}: the first ${length} of ${text.length} characters]`
}
