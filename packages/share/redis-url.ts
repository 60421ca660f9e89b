import { z } from 'zod'

/** The address of the Redis that the replicas share. */
export interface RedisSettings {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username?: string
  readonly password?: string
  /** Present: use TLS and require a certificate valid for the host. */
  readonly tls?: object
}

/** May hold a password, so a bad one is not shown. */
export const redisUrl = z
  .string()
  .refine(
    text => settingsIn(text) !== undefined,
    'expected redis:// or rediss:// (TLS) with a host and optional user:password@ (percent-encoded), :port and /number; got something else (not shown)',
  )
  .transform(text => settingsIn(text) as RedisSettings)

function settingsIn(text: string): RedisSettings | undefined {
  const url = URL.parse(text)
  const path = /^(?:\/(?<db>\d{0,4}))?$/.exec(url?.pathname ?? '-')
  if (!url || !path || !/^rediss?:$/.test(url.protocol)) return undefined
  if (url.hostname === '' || url.search || url.hash) return undefined
  try {
    const [username, password] = [url.username, url.password].map(decodeURIComponent)
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1'),
      port: Number(url.port || 6379),
      db: Number(path.groups?.db ?? 0),
      ...(username && { username }),
      ...(password && { password }),
      ...(url.protocol === 'rediss:' && { tls: {} }),
    }
  } catch {
    return undefined
  }
}
