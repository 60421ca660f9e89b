import dns from 'node:dns'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import type { Web, WebPage } from './page.ts'

/** A web on loopback. */
export interface ServedWeb {
  readonly port: number
  readonly hosts: readonly string[]
  addressOf(page: WebPage): string
  close(): void
}

/** Serves a web: while it runs, all its hosts are names of this machine. */
export async function serveWeb({ pages }: Web): Promise<ServedWeb> {
  const hosts = [...new Set(pages.map(({ host }) => host))]
  const byAddress = new Map(pages.map(page => [`${page.host}${page.path}`, page]))
  const server = createServer(({ headers, url = '' }, response) => {
    const page = byAddress.get(`${headers.host?.split(':')[0]}${url}`)
    if (page) response.writeHead(200, { 'content-type': page.type }).end(page.body)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const real = dns.lookup
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: unknown[]) => {
    const answer = rest.at(-1) as (error: null, found: object) => void
    if (hosts.includes(name)) answer(null, [{ address: '127.0.0.1', family: 4 }])
    else (real as (...given: unknown[]) => void)(name, ...rest)
  }) as never)
  return {
    port,
    hosts,
    addressOf: ({ host, path }) => `http://${host}:${port}${path}`,
    close() {
      lookup.mockRestore()
      server.close()
      server.closeAllConnections()
    },
  }
}
