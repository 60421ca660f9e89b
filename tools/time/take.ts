/** What a reader took from the front of a text, and what is left of it. */
export interface Taken<Value> {
  readonly value: Value
  readonly rest: string
}

/** A way to write something, and what it means; `undefined` where it is something else after all. */
export type Form<Value> = readonly [pattern: RegExp, read: (found: RegExpExecArray) => Value | undefined]

/** Takes what the first form finds at the front of a text. */
export function take<Value>(text: string, forms: readonly Form<Value>[]): Taken<Value> | undefined {
  for (const [pattern, read] of forms) {
    const found = pattern.exec(text)
    const value = found ? read(found) : undefined
    if (found && value) return { value, rest: text.slice(found[0].length) }
  }
  return undefined
}
