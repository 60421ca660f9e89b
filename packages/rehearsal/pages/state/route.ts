import { useEffect, useState } from 'preact/hooks'

/** A place in the dashboard, stored in the hash: `#/runs/12`, `#/runs?status=error`. */
export interface Route {
  /** `['runs', '12']`; empty on the start page. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

/** The current route; rerenders when the address changes. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute)
  useEffect(() => {
    const follow = () => setRoute(currentRoute())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

/** The route in the URL, which may be newer than the last rendered one. */
export function currentRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const [view, ...rest] = path.split('/').filter(Boolean)
  // The navigation calls the runs "History".
  const named = view === undefined ? [] : [view === 'history' ? 'runs' : view]
  return { path: [...named, ...rest], query: new URLSearchParams(query) }
}

/** Members of a query; a list repeats its name. */
type QueryMembers = Readonly<Record<string, string | number | null | undefined | readonly number[]>>

/** The address of a place; omits empty query members. */
export function hrefOf(path: string, query: QueryMembers = {}): string {
  const queryText = search(query).toString()
  return `#/${path}${queryText && `?${queryText}`}`
}

export function go(href: string): void {
  location.hash = href
}

/** Builds a query without the empty members. */
export function search(members: QueryMembers): URLSearchParams {
  const present = Object.entries(members).flatMap(([name, value]) =>
    [value].flat().map(one => [name, String(one ?? '')]),
  )
  return new URLSearchParams(present.filter(([, value]) => value !== ''))
}
