import { once } from 'node:events'
import { createServer } from 'node:net'
import { spawnStudio } from '@agent-task-service/test-support/studio'
import { expect, onTestFinished, test } from 'vitest'

test('reports a port in use, with what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const studio = spawnStudio(['--port', String(port)])
  expect(await studio.exited).toBe(64)
  expect(studio.output()).toContain(
    `port ${port} on 127.0.0.1 is in use; choose another: npm run studio -- --port ${port + 1}`,
  )
})

test('checks options', async () => {
  const studio = spawnStudio(['--port', '0', '--porto', '1'])
  expect(await studio.exited).toBe(64)
  expect(studio.output()).toContain('--port: expected a whole number, 1 to 65535, got "0"')
  expect(studio.output()).toContain('--porto: expected one of --port,')
})
