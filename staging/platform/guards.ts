/** Middleware in front of the platform's routes. */
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { getSignedCookie, setSignedCookie } from 'hono/cookie'
import { secureHeaders } from 'hono/secure-headers'
import { describeValue } from '../../src/http/contract.ts'
import type { Session } from '../api.ts'
import { Problem } from './problem.ts'

/** Headers that isolate the dashboard: it loads nothing from other origins, and none can frame or read it. */
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
    xFrameOptions: 'DENY',
    // Served without TLS, on the developer's machine.
    strictTransportSecurity: false,
  })
}

/** Prevents DNS rebinding: another site can point its own name here, and the browser then sends that name as Host. */
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

/** Requires the staging token. */
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

/** Keeps replies that contain tasks out of every cache. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('Cache-Control', 'no-store')
}

/** Cookies belong to a host, whatever the port; two platforms on one machine must not overwrite each other's. */
const cookieOf = (c: Context) => `staging_session_${new URL(c.req.url).port}`
const ATTRIBUTES = { httpOnly: true, sameSite: 'Lax', path: '/' } as const

/**
 * Browser sessions: a cookie for reading, and a form token for requests that change something. Both are signed with the
 * staging token, so nothing is stored here.
 */
export function sessions(token: string) {
  const formTokenOf = (id: string) => createHmac('sha256', token).update(`form ${id}`).digest('base64url')
  const idOf = async (c: Context) => (await getSignedCookie(c, token, cookieOf(c))) || undefined
  const bearer = bearerAuth(token)

  /** Requires the staging token or a session. */
  const guard: MiddlewareHandler = async (c, next) => {
    const id = c.req.header('authorization') === undefined ? await idOf(c) : undefined
    if (id === undefined) return await bearer(c, next)
    const given = c.req.header('x-form-token')
    if (!['GET', 'HEAD'].includes(c.req.method) && !(given && isSame(given, formTokenOf(id)))) {
      const got = given === undefined ? 'none' : 'another'
      throw new Problem(403, `X-Form-Token: expected the form token of this session, got ${got}`)
    }
    await next()
  }
  return {
    guard,
    async begin(c: Context): Promise<Session> {
      const id = randomUUID()
      await setSignedCookie(c, cookieOf(c), id, token, ATTRIBUTES)
      return { formToken: formTokenOf(id) }
    },
    async current(c: Context): Promise<Session> {
      const id = await idOf(c)
      return { formToken: id === undefined ? null : formTokenOf(id) }
    },
  }
}
