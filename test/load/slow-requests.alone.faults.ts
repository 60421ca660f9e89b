import { some } from '@agent-task-service/test-support/at-length'
import { startProcess } from '@agent-task-service/test-support/process'
import { rawSocket } from '@agent-task-service/test-support/raw-socket'
import { expect, test } from 'vitest'

const HEAD = 'POST /run HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'

// EVIDENCE-OF docs/reference/errors.md: the caller hung up before sending the whole body
// EVIDENCE-OF docs/reference/threat-model.md: | | Malformed, huge or slow requests stop or block it |
test.concurrent.each(
  some(
    [
      { what: 'its headers', begins: HEAD, piece: 'X: y\r\n', seconds: 10 },
      { what: 'its body', begins: `${HEAD}Content-Length: 5000\r\n\r\n{`, piece: ' ', seconds: 30 },
    ],
    2,
  ),
)('a caller that is still sending $what after $seconds s is cut off', async ({ begins, piece, seconds }) => {
  const { url, line } = await startProcess()
  const began = performance.now()
  const { socket, closed } = rawSocket(Number(new URL(url).port), begins)
  const drip = setInterval(() => socket.writable && socket.write(piece), 500)
  const reply = await closed
  clearInterval(drip)
  socket.destroy()
  expect(reply).toMatch(/^(?:HTTP\/1\.1 (?:400|408) |$)/)
  const took = (performance.now() - began) / 1000
  expect(took).toBeGreaterThan(seconds - 0.5)
  expect(took).toBeLessThan(seconds + 5)
  if (seconds === 30) await line(({ reason }) => reason === 'hang_up')
})
