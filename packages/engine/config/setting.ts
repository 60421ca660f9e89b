/** Kinds of settings. Each parses a variable's text; its error says what was expected and what it got. */
import { z } from 'zod'

/** Keys travel in headers: anything but visible ASCII makes an invalid header, and the error would show the key. */
const key = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'expected visible ASCII without spaces, got something else (not shown)')

/**
 * Declares a variable as secret: its value is masked in logs and replies, and a misspelt name stops the start.
 *
 * @param type absent: a key, of visible ASCII
 * @param secretsIn what of the text is secret, if not all of it
 *
 * @example
 * z.object({ SIGNING_KEY: secret().optional(), DATABASE_URL: secret(z.url()) })
 */
export function secret(): z.ZodString
export function secret<Type extends z.ZodType>(type: Type, secretsIn?: (text: string) => string[]): Type
export function secret(type: z.ZodType = key, secretsIn?: (text: string) => string[]): z.ZodType {
  return type.meta({ secret: secretsIn ?? true })
}

/** A text for people, in which quotes around it may be meant. */
export const freeText = z.string().meta({ freeText: true })

/** A URL to call. It may hold no credentials, since errors would show them; for the same reason a bad one is not shown. */
export const httpUrl = z
  .string('expected a string with an http(s) URL')
  .refine(isPlain, 'expected an http(s) URL without credentials, got something else (not shown)')

function isPlain(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null &&
    !/\s/.test(text) &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === ''
  )
}

/** `true` or `false`, in any case. */
export const flag = z
  .string()
  .regex(/^(true|false)$/i, { error: expectedOf('true or false') })
  .transform(text => text.toLowerCase() === 'true')

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

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue('expected a JSON object, got something else (not shown)')
    return z.NEVER
  }
})

/** Request members that the agent sets itself. */
const OWN_MEMBERS = [
  'model',
  'messages',
  'input',
  'tools',
  'tool_choice',
  'stream',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
]

/** Extra members for a request to a model. */
export const jsonObject = json.pipe(
  z
    .record(z.string(), z.unknown(), 'expected a JSON object, got something else (not shown)')
    .refine(
      value => !OWN_MEMBERS.some(name => Object.hasOwn(value, name)),
      `expected none of ${OWN_MEMBERS.join(', ')}, which the agent sets itself`,
    ),
)

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADERS =
  'expected a JSON object of HTTP header names and values in ASCII, got something else (not shown)'

/** Checked here because the error for a header that cannot be sent would quote it, and its value may be a key. */
export const headerRecord = z.record(
  z.string().regex(HEADER_NAME, HEADERS),
  z.string(HEADERS).regex(/^[\x20-\x7e\t]*$/, HEADERS),
  HEADERS,
)

/** Extra headers for a request to a model. */
export const headers = json.pipe(headerRecord)

const PRICES =
  'expected {"input": <dollars>, "output": <dollars>}, with "cached_input" if it differs; got something else'
const dollars = z.number(PRICES).min(0, PRICES)

/** Prices in US dollars for a million tokens. */
export const rates = json.pipe(
  z.strictObject({ input: dollars, cached_input: dollars.optional(), output: dollars }, PRICES),
)

/** A comma-separated list with at least one item. */
export function listOf<Item extends z.ZodType<unknown, string>>(item: Item, noun: string) {
  const items = z.array(item).min(1, `expected ${noun} between the commas, got none`)
  return z.string().transform(splitList).pipe(items)
}

/** A comma-separated list of names; unset: none. */
export const nameList = z.string().transform(splitList).default([])

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: expectedOf(`one of ${values.join(', ')}`) })
}

/** The error for a setting that is not secret: it quotes the start of the value. */
export function expectedOf(expected: string) {
  return ({ input }: { input?: unknown }) =>
    `expected ${expected}, got ${JSON.stringify(String(input).slice(0, 40))}`
}
