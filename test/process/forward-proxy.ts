import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

interface ForwardProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** What it was asked, in order: `POST http://host/path`, `CONNECT host:port`. */
  readonly asked: readonly string[]
  readonly headers: readonly IncomingHttpHeaders[]
}

/** An HTTP proxy to which all names are this machine. It lives as long as the worker. */
export async function forwardProxy(): Promise<ForwardProxy> {
  const asked: string[] = []
  const headers: IncomingHttpHeaders[] = []
  const server = createServer((message, response) => {
    const { method, url = '' } = message
    asked.push(`${method} ${url}`)
    headers.push(message.headers)
    const { port, pathname: path } = new URL(url)
    // Node's own agent may be set to a proxy, this one.
    const target = { host: '127.0.0.1', port, path, method, headers: message.headers, agent: new Agent() }
    const sent = request(target, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    message.pipe(sent)
  })
  server.on('connect', ({ url = '', headers: sent }, socket) => {
    asked.push(`CONNECT ${url}`)
    headers.push(sent)
    const target = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    for (const end of [socket, target]) end.on('error', () => [socket, target].map(each => each.destroy()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, headers }
}
