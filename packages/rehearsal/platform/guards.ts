/** Middleware in front of the platform's routes. */

import { describeValue } from '@agent-task-service/wire/contract'
import type { MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { timingSafeEqual } from 'hono/utils/buffer'
import { LOOPBACK } from '../agents/loopback.ts'

/** Headers that isolate the dashboard: it loads nothing from other origins, and none can frame or read it. */
export const protect = secureHeaders({
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

/**
 * Refuses requests that another site makes a browser send: under the site's own name, which it may point here (DNS
 * rebinding), or from its own pages, which browsers name in `Origin`.
 */
export const refuseOtherSites: MiddlewareHandler = async (c, next) => {
  const { hostname, host } = new URL(c.req.url)
  if (!LOOPBACK.includes(hostname)) {
    const message = `Host: expected one of ${LOOPBACK.join(', ')}, got ${describeValue(hostname)}`
    throw new HTTPException(421, { message })
  }
  const origin = c.req.header('origin')
  if (origin !== undefined && URL.parse(origin)?.host !== host) {
    throw new HTTPException(403, { message: `Origin: expected ${host}, got ${describeValue(origin)}` })
  }
  await next()
}

/** Requires the staging token. */
export function requireToken(token: string): MiddlewareHandler {
  return async (c, next) => {
    const presented = /^Bearer +(\S+)$/i.exec(c.req.header('authorization')?.trim() ?? '')?.[1]
    if (presented !== undefined && (await timingSafeEqual(presented, token))) return await next()
    const got = presented === undefined ? 'none' : 'another'
    const message = `Authorization: expected "Bearer <the staging token>", got ${got}`
    const headers = { 'WWW-Authenticate': 'Bearer realm="staging"' }
    throw new HTTPException(401, { message, res: new Response(null, { headers }) })
  }
}

/** Keeps replies that contain tasks out of every cache. */
export const noStore: MiddlewareHandler = async (c, next) => {
  await next()
  c.header('Cache-Control', 'no-store')
}
