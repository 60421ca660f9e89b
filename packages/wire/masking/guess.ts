import { isIP } from 'node:net'

/** A variable of the environment that probably holds a secret, and the texts of its value that no reply may show. */
export interface Guess {
  readonly name: string
  readonly secrets: readonly string[]
}

const TELLING_WORDS = 'TOKEN|SECRET|PASSW(?:OR)?D?|PASSPHRASE|CREDENTIAL|API[-_]?KEY'
/** What tells of a secret in a variable's name, at the end of one of its parts or alone, in the singular or plural, */
const TELLING = new RegExp(`(?:${TELLING_WORDS}|(?:^|_)(?:KEY|PASS|PWD))S?(?=_|$)`, 'g')
/** and parts that take it back if they follow. */
const HARMLESS: readonly string[] = ['URL', 'ID', 'HOST', 'PORT', 'NAME', 'FILE', 'PATH', 'TYPE']
/** What tells of one anywhere in the name of a header or of a member of JSON. */
const TELLING_MEMBER = new RegExp(`${TELLING_WORDS}|AUTHORIZATION|COOKIE`, 'i')
/** Members that count tokens, */
const COUNTS = /^(?:input|output|max|total|prompt|completion)_tokens$/
/** as text: too few digits for a number that is a secret by itself, with a separator between two. */
const COUNT = /^\d(?:[,. _']?\d){0,9}$/

/** Shorter values occur in ordinary text. Of a URL's password, words and numbers do. */
export const MIN_GUESSED_LENGTH = 12

/** A member of a query or of a connection string. */
const MEMBER = /(?:^|[?&;])\s*([\w-]{1,100})=([^\s&;"']+)/g
const URL_PASSWORDS = [/:\/\/[^\s/?#:@]*:([^\s/?#]+)@/g, /[?&;](?:sentinel_)?password=([^\s&;#"']+)/gi]

/** More words than these are a passphrase. */
const MAX_WORDS = 3
/** In one case or camel case, and not too long for a word. */
const WORD = /^(?:\p{Lu}?\p{Ll}{1,24}(?:\p{Lu}\p{Ll}{1,24}){0,3}|\p{Lu}{1,24})$/u

/** Values that are no secrets, whatever their variable's name. */
const ORDINARY = [
  // A line of dashes, the first and last line of a key
  /^[^\p{L}\p{N}]*$/u,
  /^-----[A-Z\d ]+-----$/,
  // A number, a date, a version
  /^[\d\s.,:;/+TZ-]+$/,
  /^v?\d+\.\d+(?:[-+.~][a-z\d]{1,12})*$/,
  // A path, a file
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]\.?[A-Za-z][a-z\d.-]{0,14}(?:[\\/]|$)/,
  /^[\w./~-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|toml|ini|conf|txt|env|sock|pub|gpg|asc)$/,
  // A class: org.example.JsonConverter
  /^(?:[a-z_][a-z\d_]*\.)+(?:[A-Z][a-z]+\d{0,3})+$/,
  // A host, an e-mail address, a URL
  /^(?:[\w.+-]+@)?(?:[a-z\d-]+\.)+[a-z]{2,}(?::\d+)?(?:\/\S*)?$/,
  /^[a-z][a-z\d-]*:\d{2,5}$/,
  /^(?:[a-z][a-z\d+.-]*:\/\/|arn:|urn:)\S+$/,
  // A place for a value
  /^(?:\$[A-Z_]+|\$\{\w+\}|\$\(\w+\)|<[\w -]+>|\{\{[\w .-]+\}\})$/,
]

/**
 * Finds what an environment probably keeps secret: the values of variables whose names say so, and passwords in URLs.
 *
 * @param declared names of variables of which it is known whether they are secret; passwords in their URLs are found, too
 *
 * @example
 * guessSecrets({ CRM_KEY: 'c7d1-4e0b-a2f9', DATABASE_URL: 'postgres://app:hunter22@db/crm' }, [])
 * // [{ name: 'CRM_KEY', secrets: ['c7d1-4e0b-a2f9'] }, { name: 'DATABASE_URL', secrets: ['hunter22'] }]
 */
export function guessSecrets(
  variables: Readonly<Record<string, string | undefined>>,
  declared: readonly string[],
): Guess[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const named = isSecretVariable(name) && !declared.includes(name) ? secretsUnder(name, value) : []
    const written = [...writtenPasswords(value), ...secretMembers(value)]
    const passwords = withDecoded(written.filter(isTellingPassword))
    const secrets = [...new Set([...named, ...passwords])]
    return secrets.length === 0 ? [] : [{ name, secrets }]
  })
}

/** The secrets in the value of a variable, or of a member of its JSON. */
function secretsUnder(name: string, value: string): string[] {
  if (!tellsOfSecret(name)) return []
  const text = unquoted(value.trim())
  const texts = /BASE64|B64/i.test(name) ? [text, Buffer.from(text, 'base64').toString()] : [text]
  return texts.flatMap(each => [each, ...linesOf(each), ...secretsInJson(each)]).filter(isLikelySecret)
}

/** What is secret by itself in the text of a secret: the lines of a key, and the values under telling names in JSON. */
export function partsOfSecret(text: string): string[] {
  const lines = linesOf(text)
  return [...(lines.length > 1 ? lines.filter(isLikelySecret) : []), ...secretsInJson(text)]
}

/** Whether a variable probably holds a secret by its name. `PWD` is the folder of a shell. */
export function isSecretVariable(name: string): boolean {
  return name !== 'PWD' && tellsOfSecret(name)
}

/**
 * Whether a header, or a member of JSON, is better not shown by its name: `Authorization`, `X-Api-Key`, `cookies`, `tokenFile`. A
 * count of tokens is shown: one to ten digits, between two of which may be a comma, dot, space, underscore or apostrophe.
 *
 * @example
 * isSecretMember('input_tokens', '1,522') // false
 */
export function isSecretMember(name: string, value?: unknown): boolean {
  return TELLING_MEMBER.test(name) && !(COUNTS.test(name) && typeof value === 'string' && COUNT.test(value))
}

/** Whether a variable's value would be a secret by its name, if it had more characters. */
export function isShortSecret(name: string, value = ''): boolean {
  const text = unquoted(value.trim())
  return isSecretVariable(name) && text.length < MIN_GUESSED_LENGTH && !isOrdinary(text)
}

/** Whether the name of a variable or member tells of a secret: `CRM_KEY`, `PGPASSWORD`, `accountKey`, but not `KEY_FILE`. */
function tellsOfSecret(name: string): boolean {
  const parts = name.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()
  const last = [...parts.matchAll(TELLING)].at(-1)
  if (!last) return false
  const rest = parts.slice(last.index + last[0].length).split('_')
  return !rest.some(part => HARMLESS.includes(part))
}

/** As a program may have read it that removes the quotes of an env file. */
function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value
}

/** The lines of a key, which may be broken in another way elsewhere. */
function linesOf(text: string): string[] {
  return text.includes('-----BEGIN ') ? text.split(/\r?\n|\\n/) : text.split(/\r?\n/)
}

/** The secrets under telling names at any depth, as in a service account's credentials. */
function secretsInJson(text: string): string[] {
  const secrets: string[] = []
  try {
    JSON.parse(text, (name, value) => {
      if (typeof value === 'string') secrets.push(...secretsUnder(name, value))
    })
  } catch {
    // Not JSON.
  }
  return secrets
}

function isLikelySecret(text: string): boolean {
  return text.length >= MIN_GUESSED_LENGTH && !isOrdinary(text)
}

/** Whether it may occur in any text: a number, a few words, a path, a host, an address. */
function isOrdinary(text: string): boolean {
  return areWords(text) || isIP(text) !== 0 || ORDINARY.some(shape => shape.test(text))
}

function areWords(text: string): boolean {
  const words = text.split(/[-_ .:/]/)
  return words.length <= MAX_WORDS && words.every(word => WORD.test(word))
}

/** The passwords in a text's URLs, as written and decoded. */
export function passwordsOfUrls(text: string): string[] {
  return withDecoded(writtenPasswords(text))
}

function writtenPasswords(text: string): string[] {
  return URL_PASSWORDS.flatMap(shape => [...text.matchAll(shape)].map(([, password]) => password!))
}

/** `AccountKey` of `…;AccountName=a;AccountKey=b`, and the like. */
function secretMembers(text: string): string[] {
  return [...text.matchAll(MEMBER)].flatMap(([, name = '', value = '']) =>
    tellsOfSecret(name) ? [value] : [],
  )
}

/** Whether the password of a URL is none that may occur in any text. */
function isTellingPassword(password: string): boolean {
  return password.length >= MIN_GUESSED_LENGTH || !isOrdinary(password)
}

function withDecoded(passwords: readonly string[]): string[] {
  return passwords.flatMap(password => [password, decoded(password)])
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
