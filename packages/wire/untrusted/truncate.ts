/** The text, or as much of its beginning as fits in `length` characters with the mark of the cut. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}

/** Share of a truncated text that its end keeps: errors stand there. */
const END = 0.25

/** The text, or `length` characters of its beginning and its end, and between them a note that names what is left out. */
export function truncateWithNote(text: string, length: number, note: string): string {
  if (text.length <= length) return text
  const last = Math.floor(length * END)
  const first = length - last
  const lengths = `the first ${first} and the last ${last} of ${text.length} characters`
  return `${text.slice(0, first).toWellFormed()}\n[${note}: ${lengths}]\n${text.slice(-last).toWellFormed()}`
}
