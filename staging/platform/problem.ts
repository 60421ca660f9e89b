import type { Hono, HonoRequest } from 'hono'
import { describeValue } from '../../src/http/contract.ts'

/** Why the platform refuses a request. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 421
  readonly headers: Readonly<Record<string, string>>

  /** @param message `expected …, got …` */
  constructor(status: Problem['status'], message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** The reply if no route matches: 405 for a path with routes for other methods, else 404. */
export function unrouted(app: Hono, { method, path }: HonoRequest): Problem {
  const methods = app.routes
    .filter(
      route => route.method !== 'ALL' && new URLPattern({ pathname: route.path }).test({ pathname: path }),
    )
    .flatMap(route => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
  const allow = [...new Set(methods)].join(', ')
  if (allow === '')
    return new Problem(404, `path: expected one of the platform's paths, got ${describeValue(path)}`)
  return new Problem(405, `method: expected ${allow}, got ${method}`, { Allow: allow })
}
