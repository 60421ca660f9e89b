import { setTimeout as sleep } from 'node:timers/promises'
import { type Listening, listen } from '@agent-task-service/engine/server'
import { rawSocket, responsesIn, taskHead } from '@agent-task-service/test-support/raw-socket'
import { type TestService, testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { expectHealthy } from './expect-healthy.ts'

const CONNECTIONS = 100
/** Long enough for a health check to be quicker on any machine. */
const LIMITS = {
  headersTimeout: 2_000,
  requestTimeout: 4_000,
  connectionsCheckingInterval: 100,
  keepAliveTimeout: 500,
  silenceTimeout: 30_000,
}

let service: TestService
let server: Listening

beforeEach(async () => {
  service = await testService({ MAX_BODY_BYTES: '100000' })
  server = await listen(service, { port: 0, hostname: '127.0.0.1' }, LIMITS)
  const { drain } = server
  onTestFinished(() => drain(500))
})

// EVIDENCE-OF docs/reference/threat-model.md: Every body is limited to 1 MiB and in what it holds, counted before it is parsed, and
//   checked against a schema.
test(`closes ${CONNECTIONS} connections that send their headers a byte at a time; health checks go on`, async () => {
  const attack = Array.from({ length: CONNECTIONS }, () =>
    rawSocket(server.port, 'POST /run HTTP/1.1\r\nX-Slow: '),
  )
  const drip = setInterval(() => {
    for (const { socket } of attack) if (socket.writable) socket.write('a')
  }, 100)
  await expectHealthy(server.port)
  const replies = await Promise.all(attack.map(({ closed }) => closed))
  clearInterval(drip)
  await expectHealthy(server.port)
  for (const reply of replies) expect(reply).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
})

// EVIDENCE-OF docs/reference/errors.md: The connection ended before the whole body arrived, or the request took longer than 30 s.
// EVIDENCE-OF docs/reference/threat-model.md: Every body is limited to 1 MiB and in what it holds, counted before it is parsed, and
//   checked against a schema.
test(`closes ${CONNECTIONS} connections that send their body a byte at a time; health checks go on`, async () => {
  const attack = Array.from({ length: CONNECTIONS }, () =>
    rawSocket(server.port, taskHead('Content-Length: 5000'), '{'),
  )
  const drip = setInterval(() => {
    for (const { socket } of attack) if (socket.writable) socket.write(' ')
  }, 100)
  await expectHealthy(server.port)
  await Promise.all(attack.map(({ closed }) => closed))
  clearInterval(drip)
  await expectHealthy(server.port)
  await service.tasks.idle()
})

test(`closes ${CONNECTIONS} connections that never read their reply; they do not hold up others`, async () => {
  // Refused at once, with an echo too long for the kernel's buffers.
  const body = JSON.stringify({ task_id: 'x'.repeat(90_000), input: '2 + 2' })
  const attack = Array.from({ length: CONNECTIONS }, () => rawSocket(server.port))
  for (const { socket } of attack) {
    socket.pause()
    socket.write(taskHead(`Content-Length: ${body.length}`) + body)
  }
  await expectHealthy(server.port)
  // A busy machine may have closed some before their turn.
  await until(() => service.lines.length >= CONNECTIONS / 5)
  await expectHealthy(server.port)
  for (const { socket } of attack) socket.resume()
  await Promise.all(attack.map(({ closed }) => closed))
})

test('what follows a refused body is answered, if that body comes within the time of a request', async () => {
  const piece = '3\r\nyyy\r\n'
  const { socket, received } = rawSocket(
    server.port,
    `${taskHead('Transfer-Encoding: chunked')}${piece.repeat(1_700)}`,
  )
  await until(() => received().includes('HTTP/1.1 413'))
  // Longer than the adapter would wait.
  for (let count = 0; count < 15; count += 1) {
    await sleep(100)
    socket.write(piece)
  }
  socket.write('0\r\n\r\nGET /health HTTP/1.1\r\nHost: agent\r\n\r\n')
  await until(() => received().includes('"ok"'))
  expect(responsesIn(received()).map(({ status }) => status)).toEqual([413, 200])
})
