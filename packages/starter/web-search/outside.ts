import dns, { type LookupAddress } from 'node:dns'
import { addAbortListener } from 'node:events'
import http, { type RequestOptions } from 'node:http'
import https from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'

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

/** The ranges above and this machine's own addresses. BlockList checks IPv4-mapped IPv6 addresses as IPv4. */
const inner = new BlockList()
for (const range of INNER.trim().split(/\s+/)) {
  const [net = '', prefix] = range.split('/')
  inner.addSubnet(net, Number(prefix), familyOf(net))
}
for (const { address } of Object.values(networkInterfaces()).flatMap(own => own ?? []))
  inner.addAddress(address, familyOf(address))

/** The host of a URL as DNS knows it, without brackets and trailing dots. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/(?<!\.)\.+$/, '')
}

export function isPrivate(url: URL, { privateHosts }: OutsideRules): boolean {
  return privateHosts.includes(hostOf(url))
}

/**
 * How to connect to the host of a URL, but to no internal address. The name is looked up only once, so the address checked
 * is the address connected to. A proxy looks names up itself.
 *
 * @throws {PageError} for a URL that is refused whatever its host resolves to
 */
export function connectionTo(url: URL, rules: OutsideRules, signal: AbortSignal): RequestOptions {
  const { protocol, port } = url
  if (!['http:', 'https:'].includes(protocol)) throw new PageError('is not at an http or https address')
  const effectivePort = Number(port) || (protocol === 'https:' ? 443 : 80)
  if (!rules.ports.includes(effectivePort))
    throw new PageError(`is at port ${effectivePort}, which is not allowed`)
  // Not the agent of all, which would obey the environment's proxy and keep connections.
  const direct = { agent: false, autoSelectFamily: true }
  // The operator's machine may know the name by its file of hosts or its search domains.
  if (isPrivate(url, rules)) return direct
  const host = hostOf(url)
  if (isIP(host)) expectOutside([host])
  const agent = rules.proxy?.(url)
  if (agent) return { agent }
  const lookup: LookupFunction = (_name, _options, answer) =>
    outside(host, signal).then(
      found => answer(null, found),
      error => answer(error, []),
    )
  return { ...direct, lookup } as RequestOptions
}

/**
 * The addresses of a name, from DNS. Not by `dns.lookup`, which cannot be given up: four names whose servers keep silent
 * would hold up all other names, and all decompression, of the process.
 *
 * @throws {PageError} if one of its addresses is internal
 */
async function outside(name: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: DNS_TRY_MS, tries: 2 })
  using _givingUp = addAbortListener(signal, () => resolver.cancel())
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
  const addresses = found.slice(0, MAX_ADDRESSES).map(address => ({ address, family: isIP(address) }))
  if (addresses.length === 0) throw new PageError('cannot be read: the name of its host is not known')
  expectOutside(addresses.map(({ address }) => address))
  return addresses
}

function expectOutside(addresses: readonly string[]): void {
  if (addresses.some(address => inner.check(address, familyOf(address))))
    throw new PageError('is at an inner address')
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/** The operator's proxy: the agent for requests to a URL; none for hosts that are reached without it. */
export type WebProxy = (url: URL) => http.Agent | undefined

/**
 * Everything but the hosts allowed by name goes through the proxy. It resolves the names, and so decides what can be reached.
 *
 * @param direct hosts that are reached without it
 */
export function webProxy(proxy: string, direct: readonly string[]): WebProxy {
  const proxyEnv = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
  const [plain, secure] = [new http.Agent({ proxyEnv }), new https.Agent({ proxyEnv })]
  return url => {
    if (direct.includes(hostOf(url))) return undefined
    return url.protocol === 'https:' ? secure : plain
  }
}
