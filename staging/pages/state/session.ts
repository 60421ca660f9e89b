import type { Session } from '../../api.ts'

/** The staging token that the address brings along, in `#token=`, which it then no longer shows; null without one. */
export function takeToken(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return null
  history.replaceState(null, '', `${location.pathname}#/`)
  try {
    return decodeURIComponent(given)
  } catch {
    return given
  }
}

/**
 * The form token of a session: one begun with the staging token, else the one that the browser has a cookie for. Null
 * where the platform refuses.
 *
 * @throws {Error} where the platform cannot be reached
 */
export async function formTokenFor(token: string | null): Promise<string | null> {
  const init = token === null ? {} : { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  const response = await fetch('/api/session', { ...init, cache: 'no-store' }).catch(() => {
    throw new Error('The platform cannot be reached.')
  })
  return response.ok ? ((await response.json()) as Session).formToken : null
}
