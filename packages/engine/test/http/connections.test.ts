import { once } from 'node:events'
import { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { connect, type Socket } from 'node:net'
import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { listen, type PeerLimits } from '@agent-task-service/engine/server'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { crowd, some } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { rawSocket, responsesIn, taskHead } from '@agent-task-service/test-support/raw-socket'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

const TOKEN = 'a-token-of-this-test'
/** Tasks that one connection pipelines. */
const MANY = crowd(100, 40)

const { HTTPParser } = createRequire(import.meta.url)('node:_http_common')

/** Nothing but what a test does ends a connection. */
const PATIENT: PeerLimits = {
  headersTimeout: 300_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 300_000,
  keepAliveTimeout: 300_000,
  silenceTimeout: 300_000,
}

/** A service whose model answers once the gate is open. */
async function serve(peers?: PeerLimits, maxConnections?: number) {
  const gate = Promise.withResolvers<void>()
  const model = new ScriptedModel(async () => ({ text: 'Done.', after: gate.promise }))
  const service = await testService({ AGENT_TOKENS: TOKEN }, { models: [model.named()] })
  const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1', maxConnections }, peers)
  onTestFinished(() => drain(500))
  const pipeline = (count: number, token: string | undefined) => rawSocket(port, requests(count, token))
  return { ...service, drain, gate, model, pipeline, port }
}

function requests(count: number, token: string | undefined): string {
  return Array.from({ length: count }, (_, n) => requestFor(`test-${n}`, token)).join('')
}

function requestFor(task_id: string, token: string | undefined, input = 'Hello'): string {
  const body = JSON.stringify({ task_id, input })
  const authorization = token ? [`Authorization: Bearer ${token}`] : []
  return taskHead(...authorization, `Content-Length: ${body.length}`) + body
}

// EVIDENCE-OF docs/reference/threat-model.md: | | One connection sends requests faster than they are answered, or many callers wait for
//   one run |
test('a connection that pipelines many tasks has a few of them parsed at a time, and each answered in order', async () => {
  const { gate, model, pipeline, tasks } = await serve()
  const { socket, received } = pipeline(MANY, TOKEN)
  await until(() => model.requests.length > 0)
  // Enough turns of the event loop to begin them all.
  for (let turn = 0; turn < 1_000; turn += 1) await eventLoopTurn()
  expect(tasks.inFlight).toBeLessThan(10)
  gate.resolve()
  await until(() => received().includes(`"test-${MANY - 1}"`))
  const ids = responsesIn(received()).map(({ body }) => JSON.parse(body).task_id)
  expect(ids).toEqual(Array.from({ length: MANY }, (_, n) => `test-${n}`))
  socket.destroy()
})

test('a long task is read in large pieces, and what is pipelined behind it still a few at a time', async () => {
  const { gate, model, port, tasks } = await serve()
  const pieces = vi.spyOn(IncomingMessage.prototype, 'push')
  const long = requestFor('test-1000', TOKEN, 'word '.repeat(180_000))
  const { socket, received } = rawSocket(port, long + requests(MANY, TOKEN))
  await until(() => model.requests.length > 0)
  // Node reads 64 kB at once.
  expect(pieces.mock.calls.length).toBeLessThan(60)
  for (let turn = 0; turn < 1_000; turn += 1) await eventLoopTurn()
  expect(tasks.inFlight).toBeLessThan(10)
  gate.resolve()
  await until(() => received().includes(`"test-${MANY - 1}"`))
  expect(responsesIn(received())).toHaveLength(MANY + 1)
  socket.destroy()
})

describe('with room for two connections', () => {
  const health = 'GET /health HTTP/1.1\r\nHost: agent\r\n\r\n'

  test('a task on a third gets 503, a health check its answer; both are closed', async () => {
    const { gate, model, port } = await serve(undefined, 2)
    const running = [1, 2].map(n => rawSocket(port, requestFor(`test-${n}`, TOKEN)))
    await until(() => model.requests.length === 2)
    const refused = await rawSocket(port, requestFor('test-3', TOKEN)).closed
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: 1\r$/im)
    expect(JSON.parse(responsesIn(refused)[0]!.body)).toMatchObject({
      task_id: '',
      status: 'error',
      metrics: {},
    })
    expect(await rawSocket(port, health).closed).toMatch(/^HTTP\/1\.1 200 /)
    gate.resolve()
    for (const { received } of running) await until(() => received().includes('"success"'))
  })

  // EVIDENCE-OF docs/reference/errors.md: If even reading a request would take too many descriptors, any request gets this
  test('one of too many to read from is refused unread', async () => {
    const { port } = await serve(undefined, 2)
    const silent = Array.from({ length: 11 }, () => rawSocket(port))
    await Promise.all(silent.map(({ socket }) => once(socket, 'connect')))
    const refused = await rawSocket(port).closed
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toMatch(/^retry-after: 1\r$/im)
    expect(responsesIn(refused)).toEqual([{ status: 503, body: expect.stringContaining('"status":"error"') }])
    for (const { socket } of silent) socket.destroy()
  })
})

test('a hang-up ends every run of a connection that pipelines', async () => {
  const { model, pipeline, lines } = await serve()
  const { socket } = pipeline(2, TOKEN)
  await until(() => model.requests.length === 2)
  socket.destroy()
  const stops = () => lines.filter(({ msg }) => msg === 'run').map(({ stop }) => stop)
  await until(() => stops().length === 2)
  expect(stops()).toEqual(['hang_up', 'hang_up'])
})

describe('a caller of HTTP/1.0, without a Host', () => {
  async function ask(...headers: string[]): Promise<readonly [head: string, body: string]> {
    const { gate, port } = await serve()
    gate.resolve()
    const request = requestFor('test-1', TOKEN).replace(
      'HTTP/1.1\r\nHost: agent',
      ['HTTP/1.0', ...headers].join('\r\n'),
    )
    const [head = '', body = ''] = (await rawSocket(port, request).closed).split('\r\n\r\n')
    return [head, body]
  }

  test('gets its reply whole', async () => {
    const [head, body] = await ask()
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head).toContain(`Content-Length: ${body.length}`)
    expect(JSON.parse(body)).toMatchObject({ status: 'success', output: 'Done.' })
  })

  test('gets the events of a run as they are, to the end of the connection', async () => {
    const [head, body] = await ask('Accept: text/event-stream', 'Connection: keep-alive')
    expect(head).not.toMatch(/^transfer-encoding/im)
    expect(head).toContain('Connection: close')
    expect(body).toMatch(/^event: run_started\n/)
  })
})

// EVIDENCE-OF docs/reference/threat-model.md: A caller without a token is refused before anything is kept.
test('a caller without a token is refused at once, however many tasks wait for their turn', async () => {
  const { app, post, gate } = await serve()
  const waiting = Array.from({ length: 50 }, (_, n) =>
    post({ task_id: `test-${n}`, input: 'Hello' }, { authorization: `Bearer ${TOKEN}` }),
  )
  const refused = Promise.all(
    Array.from({ length: 50 }, () => app.request('/run', { method: 'POST', body: '{}' })),
  )
  const turnOver = new Promise(resolve => setImmediate(() => resolve('turn over')))
  expect(await Promise.race([refused.then(all => all.map(({ status }) => status)), turnOver])).toEqual(
    Array(50).fill(401),
  )
  gate.resolve()
  await Promise.all(waiting)
})

describe('requests refused without a token', () => {
  /** A request with a body of up to 2 kB, in one piece or in chunks. */
  function drawRequest(random: Random): string {
    const body = 'x'.repeat(random.pick([0, 20, 300, 2_000]))
    const chunk = random.pick([undefined, 1, 7, 100, 3_000])
    if (chunk === undefined) return taskHead(`Content-Length: ${body.length}`) + body
    const chunks = body.match(new RegExp(`.{1,${chunk}}`, 'g')) ?? []
    const sized = chunks.map(part => `${part.length.toString(16)}\r\n${part}\r\n`)
    return `${taskHead('Transfer-Encoding: chunked')}${sized.join('')}0\r\n\r\n`
  }

  test.each(some([0, 1, 2, 3], 4))(
    'pipelined on many connections, each gets its reply, also of a caller that has ended its side: seed %i',
    async seed => {
      const random = new Random(seed)
      const { port } = await serve()
      const callers = Array.from({ length: crowd(20, 6) }, () => {
        const requests = Array.from({ length: random.whole(1, 200) }, () => drawRequest(random))
        const caller = rawSocket(port, requests.join(''))
        const isEnding = random.happens(0.5)
        if (isEnding) caller.socket.end()
        return { ...caller, requests, isEnding }
      })
      for (const { socket, requests, received, closed, isEnding } of callers) {
        await (isEnding ? closed : until(() => received().split('HTTP/1.1 ').length > requests.length))
        expect(responsesIn(received()).map(({ status }) => status)).toEqual(requests.map(() => 401))
        socket.destroy()
      }
    },
  )

  // EVIDENCE-OF docs/reference/threat-model.md: Each connection may keep 128 kB in memory.
  test('leave the turns of the event loop to a health check that comes after them', async () => {
    const { port } = await serve()
    const flood = requests(200, undefined)
    const callers = Array.from({ length: 20 }, () => rawSocket(port, flood))
    await until(() => callers.every(({ received }) => received() !== ''))
    const health = rawSocket(port, 'GET /health HTTP/1.1\r\nHost: agent\r\n\r\n')
    await until(() => health.received() !== '')
    const replies = callers.map(({ received }) => received().split('HTTP/1.1 ').length - 1)
    expect(replies.reduce((sum, count) => sum + count)).toBeLessThan(2_000)
    await until(() => callers.every(({ received }) => received().split('HTTP/1.1 ').length === 201))
    for (const { socket } of [...callers, health]) socket.destroy()
  })

  test('ten in a row close their connection, unless it pipelines', async () => {
    const { port, gate } = await serve()
    gate.resolve()
    const { socket, received, closed } = rawSocket(port)
    const ask = async (count: number, token?: string) => {
      for (let n = 0; n < count; n += 1) {
        const before = responsesIn(received()).length
        socket.write(requestFor('test-1', token))
        await until(() => responsesIn(received()).length > before)
      }
    }
    await ask(9)
    await ask(1, TOKEN)
    await ask(9)
    expect(received()).not.toMatch(/^connection: close/im)
    await ask(1)
    expect(responsesIn(await closed)).toHaveLength(20)
    const pipelined = rawSocket(port, requests(50, undefined))
    await until(() => responsesIn(pipelined.received()).length === 50)
    expect(pipelined.received()).not.toMatch(/^connection: close/im)
    pipelined.socket.destroy()
  })

  test('and pipelined before the service drains are answered', async () => {
    const { port, drain } = await serve()
    // Of a length by which what is parsed at once ends with a request: nothing of the next has begun.
    const head = taskHead('Content-Length: 0', 'X: _')
    const request = head.replace('_', '_'.repeat(129 - head.length))
    const callers = Array.from({ length: 5 }, () => rawSocket(port, request.repeat(100)))
    await until(() => callers.every(({ received }) => received() !== ''))
    await drain(10_000)
    for (const { closed } of callers) expect((await closed).split('HTTP/1.1 ')).toHaveLength(101)
  })
})

describe('behind a body that is refused while it arrives', () => {
  const chunked = (size: number, count: number) =>
    `${taskHead(`Authorization: Bearer ${TOKEN}`, 'Transfer-Encoding: chunked')}${`${size.toString(16)}\r\n${'y'.repeat(size)}\r\n`.repeat(count)}0\r\n\r\n`
  const health = 'GET /health HTTP/1.1\r\nHost: agent\r\n\r\n'

  test.each([
    [1, 1_500],
    [3, 1_700],
    [5_000, 260],
    [70_000, 30],
  ])('the next request is answered: chunks of %i bytes, %i of them', async (size, count) => {
    const { port } = await serve(PATIENT)
    const pushes = vi.spyOn(IncomingMessage.prototype, 'push')
    for (const rest of [[health], ['', health]]) {
      const { socket, received } = rawSocket(port, chunked(size, count) + rest[0])
      await until(() => received().includes('too '))
      if (rest[1]) socket.write(rest[1])
      await until(() => received().includes('"ok"'))
      expect(responsesIn(received()).map(({ status }) => status)).toEqual([413, 200])
      // What nobody reads is not kept.
      for (const { readableLength } of pushes.mock.contexts as IncomingMessage[])
        expect(readableLength).toBeLessThan(200_000)
      socket.destroy()
    }
  })
})

test('a caller that ends its side gives up its run, also if a reply is ready behind it', async () => {
  const { model, port, lines } = await serve(PATIENT)
  const { finish } = HTTPParser.prototype
  const ended: (number | undefined)[] = []
  vi.spyOn(HTTPParser.prototype, 'finish').mockImplementation(function (this: { socket?: Socket }) {
    ended.push(this.socket?.remotePort)
    return finish.call(this)
  })
  const { socket, closed } = rawSocket(
    port,
    `${requestFor('test-1', TOKEN)}GET /health HTTP/1.1\r\nHost: agent\r\n\r\n`,
  )
  await until(() => model.requests.length === 1)
  const ours = socket.localPort
  socket.end()
  await until(() => lines.some(({ msg }) => msg === 'run'))
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop: 'hang_up' })
  await closed
  for (let turn = 0; turn < 100; turn += 1) await eventLoopTurn()
  // Other connections of this process end, too; a parser without one may have another by then.
  expect(ended.filter(port => port === ours || port === undefined)).toEqual([ours])
})

test('a caller that ends its side while a run is in progress gives up that and all that it has pipelined', async () => {
  const { model, pipeline, lines, tasks } = await serve(PATIENT)
  const { socket, closed } = pipeline(100, TOKEN)
  await until(() => model.requests.length > 0)
  // What comes in another piece waits behind what has come.
  socket.end(requests(50, TOKEN))
  await closed
  // One that is given up before it asks its model is a run too.
  const runs = () => lines.filter(({ msg }) => msg === 'run')
  await until(() => tasks.inFlight === 0 && runs().length >= model.requests.length)
  expect(new Set(runs().map(({ stop }) => stop))).toEqual(new Set(['hang_up']))
  expect(runs().length).toBeLessThan(10)
})

describe('a request refused before its body has arrived, with `Connection: close`', () => {
  const MB = Buffer.alloc(1_000_000, ' ')

  /** A caller that has read the whole reply before it writes a body of 1 GB. */
  async function refused(requestTimeout = 30_000) {
    const peers = { requestTimeout, headersTimeout: requestTimeout, connectionsCheckingInterval: 60_000 }
    const { port } = await serve({ ...peers, keepAliveTimeout: 30_000, silenceTimeout: 60_000 })
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const errors: Error[] = []
    socket.on('error', error => errors.push(error))
    const closed = new Promise(resolve => socket.once('close', resolve))
    socket.write(
      'POST /run HTTP/1.1\r\nHost: agent\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n',
    )
    let received = ''
    socket.setEncoding('latin1').on('data', part => {
      received += part
    })
    await once(socket, 'end')
    const [reply] = responsesIn(received)
    expect(reply?.status).toBe(401)
    const write = promisify<Buffer, void>(socket.write.bind(socket))
    return { socket, closed, errors, write }
  }

  test('is read on, so that a caller that still writes does not lose the reply', async () => {
    const { socket, closed, errors, write } = await refused()
    await write(MB)
    socket.end()
    await closed
    expect(errors).toEqual([])
  })

  test('is not read for longer than a request may take', async () => {
    const { write, errors } = await refused(10)
    while (errors.length === 0) {
      await write(Buffer.from(' ')).catch(() => undefined)
      await eventLoopTurn()
    }
  })

  test('has at most 64 MiB read of it', async () => {
    const { write, errors } = await refused()
    let written = 0
    while (errors.length === 0) {
      await write(MB).catch(() => undefined)
      written += 1
    }
    expect(written).toBeGreaterThan(60)
    // The kernel's buffers take a few.
    expect(written).toBeLessThan(100)
  })
})
