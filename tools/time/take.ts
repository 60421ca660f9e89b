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
