import { z } from 'zod'

interface Address {
  readonly host: string
  readonly port: number
}

/** The Redis that the replicas share, as ioredis takes it. */
export interface RedisSettings extends Partial<Address> {
  /** Who knows the address of the primary, and the name by which they know it. */
  readonly sentinels?: Address[]
  readonly name?: string
  /** Some of the nodes of a Cluster. */
  readonly cluster?: Address[]
  readonly sentinelUsername?: string
  readonly sentinelPassword?: string
  readonly db: number
  readonly username?: string
  readonly password?: string
  /** Present: use TLS and require a certificate valid for the host. */
  readonly tls?: object
  readonly sentinelTLS?: object
  readonly enableTLSForSentinelMode?: true
}

/** May hold a password, so a bad one is not shown. */
export const redisUrl = z.string().transform((text, context) => {
  try {
    return settingsIn(text)
  } catch {
    context.addIssue(
      'expected redis://host:port/number, redis+sentinel://host:port,host:port/name-of-primary/number or redis+cluster://host:port,host:port, with rediss for TLS and optional user:password@ (percent-encoded); got something else (not shown)',
    )
    return z.NEVER
  }
})

const FORM = /^redis(?<tls>s?):\/\/(?<user>[^/?#]*@)?(?<hosts>[^/?#,@]+)(?:\/(?<db>\d{0,4}))?$/i
const SENTINEL_FORM =
  /^redis(?<tls>s?)\+sentinel:\/\/(?<user>[^/?#]*@)?(?<hosts>[^/?#@]+)\/(?<name>[\w.-]+)(?:\/(?<db>\d{0,4}))?(?:\?(?<query>[^#]*))?$/i
const CLUSTER_FORM = /^redis(?<tls>s?)\+cluster:\/\/(?<user>[^/?#]*@)?(?<hosts>[^/?#@]+)\/?$/i

/** @throws {Error} if the text has none of the forms */
function settingsIn(text: string): RedisSettings {
  const sentinel = SENTINEL_FORM.exec(text)?.groups
  const cluster = CLUSTER_FORM.exec(text)?.groups
  const { tls, user = '', hosts = '', db = '' } = sentinel ?? cluster ?? FORM.exec(text)?.groups ?? {}
  const addresses = hosts.split(',').map(host => addressIn(host, sentinel ? 26_379 : 6379))
  const { username, password } = new URL(`redis://${user}host`)
  return {
    ...(sentinel
      ? { sentinels: addresses, name: sentinel.name!, ...loginIn(sentinel.query) }
      : cluster
        ? { cluster: addresses }
        : addresses[0]),
    db: Number(db),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(tls && { tls: {}, ...(sentinel && { sentinelTLS: {}, enableTLSForSentinelMode: true }) }),
  }
}

function addressIn(host: string, defaultPort: number): Address {
  const { hostname, port } = new URL(`redis://${host}`)
  if (hostname === '') throw new Error('expected a host, got none')
  const name = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1')
  return { host: name, port: Number(port || defaultPort) }
}

/** Of the Sentinels themselves. */
function loginIn(query = ''): Partial<RedisSettings> {
  const { sentinel_username, sentinel_password, ...others } = Object.fromEntries(new URLSearchParams(query))
  if (Object.keys(others).length > 0) throw new Error('expected a login, got something else')
  return {
    ...(sentinel_username && { sentinelUsername: sentinel_username }),
    ...(sentinel_password && { sentinelPassword: sentinel_password }),
  }
}
