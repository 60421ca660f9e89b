import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { spawnStudio } from '../support/studio.ts'

test('a port that is taken is told in one line, with what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as { port: number }
  const studio = spawnStudio(['--port', String(port)])
  expect(await studio.exited).toBe(1)
  expect(studio.output()).toContain(
    `port ${port} on 127.0.0.1 is in use; choose another: npm run studio -- --port ${port + 1}`,
  )
})

test.each([
  { args: ['--port', 'x'], problem: '--port: expected a whole number, 1 to 65535, got "x"' },
  { args: ['--port', '0'], problem: '--port: expected a whole number, 1 to 65535, got "0"' },
  { args: ['--porto', '1'], problem: '--porto: expected one of --port,' },
])('options are checked: $args', async ({ args, problem }) => {
  const studio = spawnStudio(args)
  expect(await studio.exited).toBe(64)
  expect(studio.output()).toContain(problem)
})

test('the environment is checked as by npm start', async () => {
  const studio = spawnStudio(['--port', '8199'], { MAX_STEPS: '0' })
  expect(await studio.exited).toBe(1)
  expect(studio.output()).toContain('MAX_STEPS: expected a whole number, 1 to 1000, got "0"')
})
