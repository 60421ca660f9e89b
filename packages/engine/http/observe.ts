import type { MiddlewareHandler } from 'hono'
import { EdgeError } from '../replies/errors.ts'
import type { Observer } from '../run/observer.ts'
import type { EdgeEnv } from './env.ts'

/** Tells observers of each request, from its arrival to the last byte of its reply. */
export function observeRequests(observers: readonly Observer[]): MiddlewareHandler<EdgeEnv> {
  return async (c, next) => {
    const { method, headers } = c.req.raw
    const request = { method, headers, path: c.req.path, arrivedAt: c.get('arrivedAt') }
    const observed = observers.map(observer => observer.request(request))
    c.set('observed', observed)
    const end = (status: number | undefined) => {
      for (const each of observed) each.end(status)
    }
    const outgoing = c.env?.outgoing
    // If it closes before the whole reply is written, the caller hung up.
    outgoing?.once('close', () => end(outgoing.writableFinished ? outgoing.statusCode : undefined))
    if (outgoing) return await next()
    // No socket: a program calls the application directly.
    try {
      await next()
      end(c.res.status)
    } catch (thrown) {
      end(thrown instanceof EdgeError ? thrown.status : 500)
      throw thrown
    }
  }
}
