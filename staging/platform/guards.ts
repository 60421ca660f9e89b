/** What stands before the platform's routes. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { describeValue } from '../../src/http/contract.ts'
import { Problem } from './problem.ts'

/** Headers that keep the dashboard to itself: it loads nothing from elsewhere, and nothing frames or reads it. */
export function protect(): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      fontSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    crossOriginOpenerPolicy: 'same-origin',
    crossOriginResourcePolicy: 'same-origin',
    referrerPolicy: 'no-referrer',
    xContentTypeOptions: 'nosniff',
    xFrameOptions: 'DENY',
    // Served without TLS, on the desk.
    strictTransportSecurity: false,
  })
}

/** A page of another site can have its own name lead here; a browser then says that name. */
export function requireHost(hosts: readonly string[]): MiddlewareHandler {
  const names = new Set(['localhost', '127.0.0.1', '[::1]', ...hosts])
  return async (c, next) => {
    const { hostname } = new URL(c.req.url)
    if (!names.has(hostname)) {
      throw new Problem(421, `Host: expected one of ${[...names].join(', ')}, got ${describeValue(hostname)}`)
    }
    await next()
  }
}

/** Asks for the staging token. */
export function bearerAuth(token: string): MiddlewareHandler {
  return async (c, next) => {
    const came = /^Bearer +(\S+)$/i.exec(c.req.header('authorization')?.trim() ?? '')?.[1]
    if (came !== undefined && isSame(came, token)) return await next()
    const got = came === undefined ? 'none' : 'another'
    throw new Problem(401, `Authorization: expected "Bearer <the staging token>", got ${got}`, {
      'WWW-Authenticate': 'Bearer realm="staging"',
    })
  }
}

/** Compares secrets in constant time. */
export function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map(text => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(a, b)
}

/** Answers that hold tasks stay out of every cache. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('Cache-Control', 'no-store')
}
