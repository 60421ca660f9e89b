import { ToolError } from '../tool.ts'

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
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain === '') throw new ToolError(`${what} is empty. ${forms}`)
  return plain
}
