import dns, { type LookupAddress } from 'node:dns'
import { BlockList, connect, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { WebProxy } from './proxy.ts'

/** A page that must not or could not be read. `message` completes "the page …" and contains nothing from the page. */
export class PageError extends Error {
  override readonly name = 'PageError'
}

/** Which addresses may be connected to. */
export interface OutsideRules {
  readonly ports: readonly number[]
  /** Names of hosts that may have private addresses, in lower case. */
  readonly privateHosts: readonly string[]
  readonly proxy?: WebProxy | undefined
}

/**
 * Everything outside the public internet: IANA's special-purpose registries, IPv6 ranges that embed IPv4 addresses, and
 * two public-looking addresses of cloud providers' internal services.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const INNER = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
  203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16
  2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`

/** How long a name server has for its first try, in milliseconds. */
const DNS_TRY_MS = 1_000
const MAX_ADDRESSES = 20

let inner: BlockList | undefined

/** The ranges above and this machine's own addresses. BlockList checks IPv4-mapped IPv6 addresses as IPv4. */
function innerAddresses(): BlockList {
  if (inner) return inner
  inner = new BlockList()
  for (const range of INNER.trim().split(/\s+/)) {
    const [net = '', prefix] = range.split('/')
    inner.addSubnet(net, Number(prefix), familyOf(net))
  }
  for (const { address } of Object.values(networkInterfaces()).flatMap(own => own ?? []))
    inner.addAddress(address, familyOf(address))
  return inner
}

/** The host of a URL as DNS knows it, without brackets and trailing dots. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

export function isPrivate(url: URL, { privateHosts }: OutsideRules): boolean {
  return privateHosts.includes(hostOf(url))
}

/** @throws {PageError} for a URL that is refused whatever its host resolves to */
export function expectWebAddress({ protocol, port }: URL, { ports }: OutsideRules): void {
  if (!['http:', 'https:'].includes(protocol)) throw new PageError('is not at an http or https address')
  const wanted = Number(port) || (protocol === 'https:' ? 443 : 80)
  if (!ports.includes(wanted)) throw new PageError(`is at port ${wanted}, which is not allowed`)
}

/**
 * What can be checked of a URL that a proxy is asked for: the proxy resolves its name.
 *
 * @throws {PageError} for a literal internal address
 */
export function expectOutside(url: URL, rules: OutsideRules): void {
  expectWebAddress(url, rules)
  const host = hostOf(url)
  if (isIP(host) && innerAddresses().check(host, familyOf(host)))
    throw new PageError('is at an inner address')
}

/**
 * Connects to the host of a URL unless one of its addresses is internal. The name is looked up only once, so the address
 * checked is the address connected to.
 *
 * @throws {PageError} for an internal address
 */
export async function connectOutside(url: URL, rules: OutsideRules, signal: AbortSignal): Promise<Socket> {
  expectWebAddress(url, rules)
  const host = hostOf(url)
  const isSecure = url.protocol === 'https:'
  const guards = isPrivate(url, rules) ? {} : { blockList: innerAddresses() }
  const lookup: LookupFunction = (name, options, answer) => {
    // The operator's machine may know the name by its file of hosts or its search domains.
    if (isPrivate(url, rules)) dns.lookup(name, { ...options, all: true }, answer)
    else
      outside(name, signal).then(
        found => answer(null, found),
        error => answer(error, []),
      )
  }
  const port = Number(url.port) || (isSecure ? 443 : 80)
  // blockList covers literal addresses. It is set here because tls.connect would not pass it on.
  const socket = connect({ host, port, lookup, autoSelectFamily: true, signal, ...guards } as never)
  const opened = isSecure
    ? connectTls({ socket, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
    : socket
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  // Keep the listeners: the request reports later errors, but an unhandled one here would crash the process.
  socket.on('error', reject)
  opened.on('error', reject).once(isSecure ? 'secureConnect' : 'connect', resolve)
  const stop = () => opened.destroy(new PageError('took too long'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    await promise
    return opened
  } catch (error) {
    socket.destroy()
    if ((error as NodeJS.ErrnoException).code === 'ERR_IP_BLOCKED')
      throw new PageError('is at an inner address')
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * The addresses of a name, from DNS. Not by `dns.lookup`, which cannot be given up: four names whose servers keep silent
 * would hold up all other names, and all decompression, of the process.
 *
 * @throws {PageError} if one of its addresses is internal
 */
async function outside(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: DNS_TRY_MS, tries: 2 })
  const giveUp = () => resolver.cancel()
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
    const addresses = found.slice(0, MAX_ADDRESSES).map(address => ({ address, family: isIP(address) }))
    if (addresses.length === 0) throw new PageError('has a name that is not known')
    if (addresses.some(({ address }) => innerAddresses().check(address, familyOf(address))))
      throw new PageError('is at an inner address')
    return addresses
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
