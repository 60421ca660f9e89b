import { randomBytes, randomInt } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { base64Forms, createMask, MASK } from '@agent-task-service/wire/masking'

/** Shorter values are ordinary words. */
const MIN_LENGTH = 8
/** This many consecutive characters of a secret are a leak; fewer could occur in any text. */
const TELLING_LENGTH = 24
/** The same for the random part of a fake secret and up to three characters before it; no two have this much in common. */
const TELLING_OF_MADE_UP = 8
const BEFORE_CORE = 3

/** Forms of secrets, around unique characters that no log contains by chance. */
const FORMS: readonly ((core: string) => string)[] = [
  core => `sk-${core}`,
  core => `ghp_${core}`,
  core => `AKIA${core.toUpperCase().slice(0, 16)}/${core}`,
  core => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{"sub":"${core}"}`).toString('base64url')}.${core}`,
  core => `postgres://admin:${core}@db.example/main`,
  core => `p"a\\ss ${core} 'wörd'`,
  core => core,
]

/** The random part of each fake secret. */
const madeUp = new Map<string, string>()

/** Fake secrets, one of each form; new every time, so that leftovers from earlier runs in a log do not count. */
export function fakeSecrets(): string[] {
  return FORMS.map(make)
}

/** A fake secret that looks like a provider's key, for places where quotes and blanks are not allowed. */
export function fakeKey(): string {
  return make(FORMS[0]!)
}

function make(form: (core: string) => string): string {
  const core = BigInt(`0x${randomBytes(16).toString('hex')}`)
    .toString(36)
    .padStart(24, '0')
    .slice(-24)
  const secret = form(core)
  madeUp.set(secret, core)
  return secret
}

/** A number for `test-<number>` that is probably unused. */
export function randomNumber(): number {
  return randomInt(1_000_000, 2 ** 47)
}

/**
 * The traces of a secret: each with the length of its shortest part that counts, and how it is written.
 *
 * @returns an empty list for a value too short to be a secret
 */
function tracesOf(secret: string) {
  if (secret.length < MIN_LENGTH) return []
  const core = madeUp.get(secret)
  const telling = core === undefined ? TELLING_LENGTH : TELLING_OF_MADE_UP
  // Of a JSON Web Token only the signature counts; the other parts begin alike.
  const parts =
    core === undefined
      ? (secret.match(/[\w-]{24,}/g) ?? []).filter(part => !part.startsWith('eyJ'))
      : secret
          .split(core)
          .slice(0, -1)
          .map(before => before.slice(-BEFORE_CORE) + core)
  const whole = { text: secret, least: secret.length }
  return [whole, ...parts.map(text => ({ text, least: telling }))].flatMap(({ text, least }) => {
    const hex = Buffer.from(text).toString('hex')
    const digits = (bytes: number) => Math.floor((bytes * 4) / 3) - 1
    return [
      { text, least, form: 'verbatim' },
      ...base64Forms(text).map(base64 => ({
        text: base64,
        least: Math.min(base64.length, digits(least === text.length ? Buffer.byteLength(text) : least)),
        form: 'in base64',
      })),
      ...[hex, hex.toUpperCase()].map(text => ({ text, least: 2 * least, form: 'in hexadecimal' })),
    ]
  })
}

/**
 * Searches a text for secrets: verbatim, with its lines joined, unescaped once and twice, and with bytes that are written as
 * numbers read as letters.
 *
 * @returns a search that gives a secret's position in the text as decoded, and its form: `in base64`
 */
export function searcher(text: string) {
  const once = unescaped(text)
  const views = [
    { text, form: '' },
    { text: text.replace(/(?<![ \t])[ \t]*\r?\n[ \t]*/g, ''), form: ', over two lines' },
    { text: stripVTControlCharacters(text), form: ', coloured' },
    { text: once, form: ', escaped' },
    { text: unescaped(once), form: ', escaped twice' },
    ...NUMBERS.map(({ pattern, base }) => ({ text: spelt(text, pattern, base), form: ', byte by byte' })),
  ].filter((view, index, all) => all.findIndex(other => other.text === view.text) === index)
  return (secret: string) => {
    for (const trace of tracesOf(secret)) {
      for (const view of views) {
        const run = runOf(view.text, trace)
        if (run) return { ...run, text: view.text, form: `${trace.form}${view.form}` }
      }
    }
    return undefined
  }
}

/** Eight bytes or more, as decimal or hexadecimal numbers: `[115 107 45]`, `<Buffer 73 6b 2d>`. */
const NUMBERS = [
  { pattern: /(?:\b\d{1,3}[\s,;]{1,4}){7,}\d{1,3}\b/g, base: 10 },
  { pattern: /(?:\b(?:0x)?[\da-f]{2}[\s,;:-]{1,4}){7,}(?:0x)?[\da-f]{2}\b/gi, base: 16 },
]

function spelt(text: string, pattern: RegExp, base: number): string {
  const letters = (numbers: string) =>
    numbers.split(/[\s,;:-]+/).map(number => String.fromCharCode(Number.parseInt(number, base)))
  return text.replace(pattern, numbers => letters(numbers).join(''))
}

const NAMED: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>' }

/** Removes the escapes of JSON and other strings, URLs and markup. */
function unescaped(text: string): string {
  const escapes =
    /\\[ux]([\da-f]{4}|[\da-f]{2})|((?:%[\da-f]{2})+)|&#(?:x([\da-f]{1,5})|(\d{1,6}));|&(quot|amp|lt|gt);|\\([^\w\s])/gi
  return text.replace(escapes, (_, unit, percent, hex, decimal, name, sign) => {
    if (percent) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString()
    if (name) return NAMED[name.toLowerCase()]!
    return sign ?? String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(unit ?? hex, 16))
  })
}

type Trace = ReturnType<typeof tracesOf>[number]

/** Where the text contains a sufficiently long part of a trace. */
function runOf(text: string, { text: needle, least }: Trace): { at: number; length: number } | undefined {
  // Any part of that length fully contains at least one of these pieces.
  const size = Math.ceil(least / 2)
  for (let start = 0; start + size <= needle.length; start += size) {
    const piece = needle.slice(start, start + size)
    for (let found = text.indexOf(piece); found >= 0; found = text.indexOf(piece, found + 1)) {
      let [before, after] = [0, size]
      while (before < start && text[found - before - 1] === needle[start - before - 1]) before += 1
      while (start + after < needle.length && text[found + after] === needle[start + after]) after += 1
      if (before + after >= least) return { at: found - before, length: before + after }
    }
  }
  return undefined
}

/** Masks secrets, and revealing parts of them, in a report. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const known = [...secrets]
  const mask = createMask(known)
  const traces = known.flatMap(tracesOf)
  return text => {
    let masked = mask(text)
    for (const trace of traces) {
      for (let run = runOf(masked, trace); run; run = runOf(masked, trace)) {
        masked = `${masked.slice(0, run.at)}${MASK}${masked.slice(run.at + run.length)}`
      }
    }
    const search = searcher(masked)
    // If it is escaped letter by letter, its position cannot be determined.
    return known.some(search) ? MASK : masked
  }
}
