/** Kinds of settings: each takes the text of a variable and, where it is wrong, says what was expected and what came. */
import { z } from 'zod'

/** A key travels in a header: anything but visible ASCII would break it, and show it in the error. */
export const secret = z
  .string()
  .regex(/^[\x21-\x7e]+$/, { error: 'expected visible ASCII without spaces, got something else (not shown)' })

export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  numeric(/^\d+$/, 'a whole number', min, max)
export const seconds = (min: number, max: number) => numeric(/^\d+(\.\d+)?$/, 'a number of seconds', min, max)
export const number = (min: number, max: number) => numeric(/^\d+(\.\d+)?$/, 'a number', min, max)

function numeric(shape: RegExp, noun: string, min: number, max: number) {
  const expected = `${noun}, ${min} ${max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`}`
  return z
    .string()
    .refine(text => shape.test(text) && Number(text) >= min && Number(text) <= max, {
      error: expectedOf(expected),
    })
    .transform(Number)
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: expectedOf(`one of ${values.join(', ')}`) })
}

/** The error of a setting that is no secret: it shows the beginning of what came. */
export function expectedOf(expected: string) {
  return ({ input }: { input?: unknown }) =>
    `expected ${expected}, got ${JSON.stringify(String(input).slice(0, 40))}`
}
