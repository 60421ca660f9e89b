const KEY = 'staging-token'

/**
 * The token of the staging route: from `#token=` of the address, which then no longer shows it, else the one that this
 * tab was given before. Null when there is none.
 */
export function takeToken(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return sessionStorage.getItem(KEY)
  history.replaceState(null, '', `${location.pathname}#/`)
  const token = decoded(given)
  keepToken(token)
  return token
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
