import { createHmac, randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { getSignedCookie, setSignedCookie } from 'hono/cookie'
import type { Session } from '../api.ts'
import { bearerAuth, isSame } from './guards.ts'
import { Problem } from './problem.ts'

/** Cookies are those of a host, whatever the port: two platforms on one machine must not end each other's. */
const cookieOf = (c: Context) => `staging_session_${new URL(c.req.url).port}`
const ATTRIBUTES = { httpOnly: true, sameSite: 'Lax', path: '/' } as const

/**
 * Sessions of browsers: a cookie for the pages and what they read, and a form token for what they change. Nothing of
 * them is kept here: both are signed with the staging token.
 */
export function sessions(token: string) {
  const formTokenOf = (id: string) => createHmac('sha256', token).update(`form ${id}`).digest('base64url')
  const idOf = async (c: Context) => (await getSignedCookie(c, token, cookieOf(c))) || undefined
  const bearer = bearerAuth(token)

  /** Lets pass who has the staging token, or is signed in. */
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
