import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { EdgeError } from '../replies/errors.ts'
import type { EdgeEnv } from './env.ts'

/** Requires one of the bearer tokens, compared in constant time, and notes which. If `tokens` is empty, anyone may call. */
export function bearerAuth(tokens: readonly string[]): MiddlewareHandler<EdgeEnv> {
  if (tokens.length === 0) return (_c, next) => next()
  const accepted = tokens.map(digest)
  return async (c, next) => {
    const token = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    const came = digest(token)
    // Compare every token even after a match, so that timing reveals nothing.
    const fits = accepted.map(expected => timingSafeEqual(expected, came))
    if (!fits.includes(true))
      throw new EdgeError('unauthorized', '', { 'WWW-Authenticate': 'Bearer realm="agent"' })
    c.set('caller', { token_number: fits.indexOf(true) + 1 })
    await next()
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
