/** Node's own HTTP server with a health check: the minimum that start-up can cost. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
})
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`),
)
