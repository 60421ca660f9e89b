import {
  createMask,
  isSecretMember,
  isSecretVariable,
  MASK,
  passwordsOfUrls,
} from '@agent-task-service/wire/masking'
import type { Environment } from './command-line.ts'
import { parseJson } from './json.ts'

export type Redact = ReturnType<typeof createRedact>

/** The secrets in an environment, by variable name; a list counts as one secret. */
export function secretsIn(env: Environment): Map<string, string> {
  const named = Object.entries(env).filter(
    ([name, value = '']) => isSecretVariable(name) || passwordsOfUrls(value).length > 0,
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

  /** Redacts a JSON value, including member names. What has no secret is not copied, since a reply may have millions of parts. */
  function json(value: unknown): unknown {
    if (typeof value === 'string') return clean(value)
    if (typeof value === 'number') return clean(String(value)) === String(value) ? value : MASK
    if (typeof value !== 'object' || value === null) return value
    return Array.isArray(value) ? eachOf(value, json) : members(value)
  }

  function members(value: object): object {
    let isSame = true
    const entries = Object.entries(value).map(([name, member]) => {
      const redacted = [clean(name), isSecretMember(name, member) ? hidden(member) : json(member)] as const
      isSame &&= redacted[0] === name && redacted[1] === member
      return redacted
    })
    return isSame ? value : Object.fromEntries(entries)
  }

  /** What has a telling name: its text, or each of a list. */
  function hidden(value: unknown): unknown {
    if (Array.isArray(value)) return eachOf(value, hidden)
    return typeof value === 'string' && value !== '' ? MASK : json(value)
  }

  /** Redacts any text. JSON stays JSON, and text without secrets stays unchanged. */
  function text(text: string): string {
    const cleaned = clean(text)
    const parsed = parseJson(text)
    if (typeof parsed !== 'object') return cleaned
    const redacted = json(parsed)
    return cleaned === text && redacted === parsed ? text : JSON.stringify(redacted)
  }
  return { text, json, growing }
}

/** The items redacted, or the list itself if none changes. */
function eachOf(items: unknown[], redact: (item: unknown) => unknown): unknown[] {
  let copy: unknown[] | undefined
  for (let index = 0; index < items.length; index += 1) {
    const redacted = redact(items[index])
    if (redacted === items[index]) continue
    copy ??= [...items]
    copy[index] = redacted
  }
  return copy ?? items
}
