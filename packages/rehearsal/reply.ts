import { objectIn, textOf } from './json.ts'

/** The text that a reply shows its reader. */
export function shownIn(reply: string): string {
  const { output, error } = objectIn(reply)
  return textOf(output) || textOf(error)
}
