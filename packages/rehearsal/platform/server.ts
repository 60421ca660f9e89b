import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { StartError } from '../command-line.ts'

/** Only this machine can reach the platform: the dashboard asks for no token. */
const HOST = '127.0.0.1'

/**
 * @param port 0: any free one
 * @returns the platform's URL on this machine, and a function to stop it
 * @throws {StartError}
 */
export async function listen(app: Hono, port: number) {
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  let isClosing = false
  let underWay = 0
  // Node's close() waits for idle connections, and browsers keep some open.
  const closeIfIdle = () => isClosing && underWay === 0 && server.closeAllConnections()
  server.on('request', (_request, response) => {
    underWay += 1
    response.once('close', () => {
      underWay -= 1
      closeIfIdle()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  }).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(`cannot listen on ${HOST}, port ${port} (${code}): choose another with --port`)
  })
  /** Accepts no more requests; resolves when those in progress have their replies. */
  const close = async () => {
    isClosing = true
    const closed = new Promise(resolve => server.close(resolve))
    closeIfIdle()
    await closed
  }
  return { url: `http://${HOST}:${(server.address() as AddressInfo).port}`, close }
}
