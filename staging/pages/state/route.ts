import { useEffect, useState } from 'preact/hooks'

/** A place in the dashboard, kept in the hash: `#/runs/12`, `#/runs?status=error`. */
export interface Route {
  /** `['runs', '12']`; empty at the start. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** Where the address points, and again whenever it changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute)
  useEffect(() => {
    const follow = () => setRoute(currentRoute())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

/** Where the address points now: what was rendered last may be a change behind. */
export function currentRoute(): Route {
  return parseHash(location.hash)
}

/** The address of a place. Members of the query that are empty are left out. */
export function hrefOf(path: string, query: Record<string, string | number | null | undefined> = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `#/${path}${search && `?${search}`}`
}

export function go(href: string): void {
  location.hash = href
}

function parseHash(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(search) }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
