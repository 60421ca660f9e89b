import { expect, test } from 'vitest'
import { startProcess } from '../support/process.ts'
import { rawSocket } from '../support/raw-socket.ts'

const HEAD = 'POST /run HTTP/1.1\r\nHost: agent\r\nContent-Type: application/json\r\nContent-Length: 50\r\n'

test.each([
  { part: 'header', sent: HEAD, seconds: 10 },
  { part: 'request', sent: `${HEAD}\r\n{`, seconds: 30 },
])('a connection whose $part does not end is closed after $seconds s', async ({ sent, seconds }) => {
  const { url } = await startProcess()
  const begunAt = performance.now()
  const { socket, closed } = rawSocket(Number(new URL(url).port), sent)
  const reply = await closed
  socket.destroy()
  const took = (performance.now() - begunAt) / 1000
  expect(reply).toMatch(/^(?:HTTP\/1\.1 408 |$)/)
  expect(took).toBeGreaterThan(seconds - 1)
  // It looks once a second.
  expect(took).toBeLessThan(seconds + 5)
})
