import { ToolError } from '../tool.ts'

/** A value read from the start of a text, and the rest of the text. */
export interface Taken<Value> {
  readonly value: Value
  readonly rest: string
}

/** A pattern and how to read it; `undefined` when the match turns out to be something else. */
export type Form<Value> = readonly [pattern: RegExp, read: (found: RegExpExecArray) => Value | undefined]

/** Reads the start of a text by the first form that matches. */
export function take<Value>(text: string, forms: readonly Form<Value>[]): Taken<Value> | undefined {
  for (const [pattern, read] of forms) {
    const found = pattern.exec(text)
    const value = found ? read(found) : undefined
    if (found && value) return { value, rest: text.slice(found[0].length) }
  }
  return undefined
}

/** Longest text to read as a time or a duration. */
const LONGEST = 100

/**
 * Converts to lower case, with plain spaces and hyphens.
 * @param what names the input in messages: `A time`
 * @throws {ToolError} when the text is empty or too long
 */
export function plainText(text: string, what: string, forms: string): string {
  if (text.length > LONGEST)
    throw new ToolError(`${what} of ${text.length} characters is too long (at most ${LONGEST}). ${forms}`)
  const whole = text
    // `2½` is normalized to `2 1⁄2`.
    .replace(/[¼-¾⅐-⅟]/g, ' $&')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[’‘]/g, "'")
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  if (whole === '') throw new ToolError(`${what} is empty. ${forms}`)
  return whole
}
