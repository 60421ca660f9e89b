import { createMask, isSecretVariable } from '@agent-task-service/wire/masking'
import { jsonIn } from './json.ts'

export type Redact = ReturnType<typeof createRedact>

const MASK = '[redacted]'
/** Names of members whose text is always hidden. */
const TELLING_NAME = /authorization|cookie|token|api[-_]?key|secret|passw|credential/i

/** A URL with a password, as in `DATABASE_URL`. */
const PASSWORD_IN_URL = /:\/\/[^/\s:@]{0,200}:[^/\s@]{1,500}@/

/** The secrets in an environment, by variable name; a list counts as one secret. */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): Map<string, string> {
  const named = Object.entries(env).filter(
    ([name, value = '']) => isSecretVariable(name) || PASSWORD_IN_URL.test(value),
  )
  return new Map(named.flatMap(([name, value = '']) => (value.trim() === '' ? [] : [[name, value.trim()]])))
}

/**
 * Removes secrets from what is stored and shown: known ones in any form, and anything that looks like a key.
 *
 * @param secrets of 8 characters or more; masking shorter ones would hide ordinary words
 */
export function createRedact(secrets: readonly string[]) {
  const { external: clean, growing } = createMask(secrets)

  /** Redacts a JSON value, including member names. */
  function json(value: unknown): unknown {
    if (typeof value === 'string') return clean(value)
    if (typeof value === 'number') return clean(String(value)) === String(value) ? value : MASK
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(json)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        clean(name),
        TELLING_NAME.test(name) ? hidden(member) : json(member),
      ]),
    )
  }

  /** What has a telling name: its text, or each of a list. */
  function hidden(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(hidden)
    return typeof value === 'string' && value !== '' ? MASK : json(value)
  }

  /** Redacts any text. JSON stays JSON, and text without secrets stays unchanged. */
  function text(text: string): string {
    const cleaned = clean(text)
    const parsed = jsonIn(text)
    if (typeof parsed !== 'object') return cleaned
    const serialized = JSON.stringify(json(parsed))
    return cleaned === text && serialized === JSON.stringify(parsed) ? text : serialized
  }
  return { text, json, growing }
}
