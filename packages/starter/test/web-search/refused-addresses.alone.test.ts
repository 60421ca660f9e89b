import dns from 'node:dns'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import net, { createServer, type Server, type Socket } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { fakeServer } from '@agent-task-service/test-support/web/fake-server'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { fetchPage, rulesBehind } from '../../web-search/fetch-page.ts'
import { innerHosts, innerNames } from './inner-addresses.ts'

/** This machine has a public address, too. */
vi.mock(import('node:os'), async original => {
  const os = await original()
  const own = { address: '93.184.215.99', family: 'IPv4' } as NetworkInterfaceInfo
  return { ...os, networkInterfaces: () => ({ ...os.networkInterfaces(), public: [own] }) }
})

/** Listens on every address of this machine, and admits every connection. */
let trap: Server
let port: number
const arrived: Socket[] = []

beforeAll(async () => {
  trap = createServer(socket => {
    arrived.push(socket)
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\ninside')
  }).listen(0, '::')
  await once(trap, 'listening')
  port = (trap.address() as AddressInfo).port
})
afterAll(() => trap.close())
afterEach(() => {
  vi.restoreAllMocks()
  expect(arrived).toEqual([])
})

const rules = (more: object = {}) => ({
  ports: [80, 443, port],
  privateHosts: [],
  userAgent: 'test',
  ...more,
})
const { signal } = new AbortController()
const refused = (address: string, more?: object) =>
  expect(fetchPage(address, rules(more), signal)).rejects.toMatchObject({ name: 'PageError' })

/** Names resolve to these answers, one for each look-up in turn; the last one stays. */
function resolve(names: Readonly<Record<string, readonly (readonly string[])[]>>) {
  const asked: string[] = []
  const next = (name: string) => {
    const turns = net.isIP(name) ? [[name]] : (names[name] ?? [])
    const found = turns[Math.min(asked.filter(one => one === name).length, turns.length - 1)]
    if (!net.isIP(name)) asked.push(name)
    return found
  }
  const noSuchName = () => Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  // What the operator allows by name is looked up by the system, everything else in DNS.
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: unknown[]) => {
    const answer = rest.at(-1) as (error: Error | null, found?: object) => void
    const found = next(name)?.map(address => ({ address, family: net.isIP(address) }))
    if (found) answer(null, found)
    else answer(noSuchName())
  }) as never)
  const { prototype } = dns.promises.Resolver
  let other: readonly string[] = []
  vi.spyOn(prototype, 'resolve4').mockImplementation((async (name: string) => {
    const found = next(name)
    if (!found) throw noSuchName()
    other = found.filter(net.isIPv6)
    return found.filter(net.isIPv4)
  }) as never)
  vi.spyOn(prototype, 'resolve6').mockImplementation((async () => other) as never)
  return asked
}

// EVIDENCE-OF docs/guides/deployment.md: `deploy/kubernetes.yaml` opens only DNS, ports 80 and 443, and Redis, and closes the cloud's
//   metadata service
// EVIDENCE-OF docs/reference/threat-model.md: Let the proxy refuse inner names and addresses, its own machine's among them
// EVIDENCE-OF docs/reference/shipped-tools.md: Pages are read from public addresses, on `SEARCH_PORTS`.
test.each(innerHosts)('http and https to %s open no connection', async host => {
  for (const scheme of ['http', 'https']) await refused(`${scheme}://${host}:${port}/`)
})

// EVIDENCE-OF docs/reference/threat-model.md: Addresses are checked when connecting: every address of a name, and again after each
//   redirect.
test.each(Object.entries(innerNames))('the name %s, of %j, opens no connection', async (name, addresses) => {
  const { hostname } = new URL(`http://${name}/`)
  const asked = resolve({ [hostname.replace(/\.$/, '')]: [addresses] })
  for (const scheme of ['http', 'https']) await refused(`${scheme}://${name}:${port}/`)
  expect(asked).toHaveLength(2)
})

test("refuses this machine's addresses, public ones too", async () => {
  const own = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  for (const { address, family } of own)
    await refused(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`)
})

test.each(['file:///etc/passwd', 'ftp://example.org/', 'data:text/html,x', 'ws://example.org/'])(
  "%s is not a page's address",
  address => refused(address),
)

// EVIDENCE-OF docs/configuration.md: | `SEARCH_PORTS` |
// EVIDENCE-OF docs/reference/shipped-tools.md: SearXNG, or any engine at one of these hosts.
test.each([22, 8080])('refuses port %i on any host', port =>
  expect(fetchPage(`http://93.184.215.14:${port}/`, rules({ ports: [80, 443] }), signal)).rejects.toThrow(
    `is at port ${port}, which is not allowed`,
  ),
)

/** A server that the operator allows by name, and that redirects elsewhere. */
async function redirecting(target: (port: number) => string) {
  const server = createHttpServer((_, response) => {
    const { port } = server.address() as AddressInfo
    response.writeHead(302, { location: target(port) }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return { server, own, address: `http://allowed.example:${own}/` }
}

// EVIDENCE-OF docs/reference/threat-model.md: Addresses are checked when connecting: every address of a name, and again after each
//   redirect.
test.each(['127.0.0.1', '[::ffff:7f00:1]', 'inner-first.example'])(
  'a redirect to %s opens no connection',
  async host => {
    resolve({
      'allowed.example': [['127.0.0.1']],
      'inner-first.example': [innerNames['inner-first.example']!],
    })
    const { server, own, address } = await redirecting(() => `http://${host}:${port}/`)
    await refused(address, { ports: [own, port], privateHosts: ['allowed.example'] })
    server.close()
  },
)

test('a name that changes between two look-ups is looked up once per connection', async () => {
  const asked = resolve({
    'allowed.example': [['127.0.0.1']],
    'rebound.example': [['127.0.0.1'], ['93.184.215.14']],
  })
  await refused(`http://rebound.example:${port}/`)
  expect(asked).toEqual(['rebound.example'])
  // The reverse: outside at the first look-up, inside at the next, after a redirect.
  vi.restoreAllMocks()
  resolve({ 'flip.example': [['127.0.0.1']] })
  const { server, own } = await redirecting(port => `http://flip.example:${port}/again`)
  await refused(`http://flip.example:${own}/`, { ports: [own] })
  server.close()
})

test('follows at most three redirects', async () => {
  resolve({ 'allowed.example': [['127.0.0.1']] })
  let asked = 0
  const { server, own, address } = await redirecting(port => `http://allowed.example:${port}/${++asked}`)
  await expect(
    fetchPage(address, rules({ ports: [own], privateHosts: ['allowed.example'] }), signal),
  ).rejects.toThrow('redirects more than 3 times')
  expect(asked).toBe(4)
  server.close()
})

// EVIDENCE-OF docs/reference/threat-model.md: Private ranges and cloud metadata are refused, and so is a redirect from the
//   public web to a host that you allow by name
// EVIDENCE-OF docs/reference/shipped-tools.md: No public page leads there.
test('a page of the public web does not redirect to a host that the operator allows', async () => {
  const asked = resolve({ 'public.example': [['93.184.215.14']], 'wiki.corp': [['127.0.0.1']] })
  const { server, own } = await redirecting(() => `http://wiki.corp:${port}/secret`)
  const { prototype } = net.Socket
  const real = prototype.connect
  vi.spyOn(prototype, 'connect').mockImplementation(function (this: net.Socket, [options]: [never]) {
    const { host } = options as net.TcpNetConnectOpts
    return real.call(this, host === 'public.example' ? ({ port: own, host: '127.0.0.1' } as never) : options)
  } as never)
  await refused(`http://public.example:${own}/`, { ports: [own, port], privateHosts: ['wiki.corp'] })
  expect(asked).toEqual(['wiki.corp'])
  server.close()
})

test('nor does it by a meta element', () => {
  const own = rules({ privateHosts: ['wiki.corp'] })
  expect(rulesBehind(new URL('http://public.example/'), own).privateHosts).toEqual([])
  expect(rulesBehind(new URL('http://wiki.corp/'), own).privateHosts).toEqual(['wiki.corp'])
})

// EVIDENCE-OF docs/configuration.md: | `SEARCH_PRIVATE_HOSTS` |
test('reads what the operator allows by name, without cookies, referrer or credentials', async () => {
  const server = await fakeServer(response => {
    response
      .writeHead(200, { 'content-type': 'text/plain; charset="UTF-8"', 'set-cookie': 'a=1' })
      .end('hello')
  })
  resolve({ 'wiki.corp': [['127.0.0.1']] })
  const own = Number(new URL(server.url).port)
  const settings = rules({ ports: [own], privateHosts: ['wiki.corp'] })
  for (let time = 0; time < 2; time += 1) {
    const { type, charset, bytes } = await fetchPage(
      `http://user:secret@wiki.corp:${own}/a?b#c`,
      settings,
      signal,
    )
    expect([type, charset, Buffer.from(bytes).toString()]).toEqual(['text/plain', 'utf-8', 'hello'])
  }
  for (const { headers } of server.received) {
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
    expect(headers['user-agent']).toBe('test')
  }
})
