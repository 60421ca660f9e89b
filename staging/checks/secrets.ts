import { randomBytes, randomInt } from 'node:crypto'

/** A shorter value is an ordinary word. */
const MIN_LENGTH = 8
/** Fewer characters could stand in any text by chance. */
const CORE_LENGTH = 24
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Forms of secrets, around characters that nothing else has: no log can hold these by chance. */
const FORMS: readonly ((core: string) => string)[] = [
  core => `sk-proj-${core}`,
  core => `ghp_${core}`,
  core => `AKIA${core.toUpperCase().slice(0, 16)}/${core}`,
  core => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{"sub":"${core}"}`).toString('base64url')}.${core}`,
  core => `postgres://admin:${core}@db.example/main`,
  core => `p"a\\ss ${core} 'wörd'`,
  core => core,
]

/** Made-up secrets, one of each form, new every time: what an earlier run left in a log is not found again. */
export function fakeSecrets(): string[] {
  return FORMS.map(form => form(randomText(CORE_LENGTH)))
}

/** A made-up secret that looks like a provider's key, and fits where no quotes or blanks do. */
export function fakeKey(): string {
  return `sk-proj-${randomText(CORE_LENGTH)}`
}

function randomText(length: number): string {
  return Array.from(randomBytes(length), byte => LETTERS[byte % LETTERS.length]).join('')
}

/** A number for `test-<number>` that was hardly used before. */
export function randomNumber(): number {
  return randomInt(1_000_000, 2 ** 47)
}

export interface Trace {
  readonly text: string
  /** How it was written: `as it is`. */
  readonly form: string
}

/**
 * What betrays a secret in text: the secret and its core (of a text cut short), as they are, JSON-escaped once and
 * twice, percent-encoded, in base64 at any offset, and in hexadecimal.
 *
 * @returns nothing for a value too short to be a secret
 */
export function tracesOf(secret: string): Trace[] {
  // The last: tokens of one kind begin alike.
  const core = secret
    .match(/[A-Za-z0-9]{24,}/g)
    ?.at(-1)
    ?.slice(-CORE_LENGTH)
  return [...new Set([secret, ...(core === undefined ? [] : [core])])]
    .filter(({ length }) => length >= MIN_LENGTH)
    .flatMap(formsOf)
}

function formsOf(secret: string): Trace[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const hex = Buffer.from(secret).toString('hex')
  const forms: Trace[] = [
    { text: secret, form: 'as it is' },
    { text: escaped, form: 'JSON-escaped' },
    { text: JSON.stringify(escaped).slice(1, -1), form: 'JSON-escaped twice' },
    { text: encodeURIComponent(secret), form: 'percent-encoded' },
    { text: encodeURIComponent(secret).replaceAll('%20', '+'), form: 'form-encoded' },
    ...base64Digits(secret).map(text => ({ text, form: 'in base64' })),
    { text: hex, form: 'in hexadecimal' },
    { text: hex.toUpperCase(), form: 'in hexadecimal' },
  ]
  return forms.filter(({ text }, index) => forms.findIndex(other => other.text === text) === index)
}

/** The base64 digits that the secret alone decides, for each of the three offsets at which it may stand in encoded text. */
function base64Digits(secret: string): string[] {
  return [0, 1, 2].flatMap(offset => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)])
    const whole = Math.floor((bytes.length * 8) / 6)
    const digits = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), whole)
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** The first trace of a secret in a text, if there is one. */
export function findTrace(text: string, secret: string): (Trace & { readonly at: number }) | undefined {
  for (const trace of tracesOf(secret)) {
    const at = text.indexOf(trace.text)
    if (at >= 0) return { ...trace, at }
  }
  return undefined
}

/** Masks secrets in what a report says. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const traces = [...secrets].flatMap(tracesOf).map(({ text }) => text)
  traces.sort((a, b) => b.length - a.length)
  return text => traces.reduce((masked, trace) => masked.replaceAll(trace, '[redacted]'), text)
}
