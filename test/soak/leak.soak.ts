import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { answer, hostileModel, toolCalls } from '../faults/hostile-model.ts'

const RUNS = 12_000
/** Connections that one model server's client may keep open. */
const KEPT_CONNECTIONS = 200

test(`${RUNS} runs with tool calls and hang-ups leave less than 1 kB of heap each`, async () => {
  const model = await hostileModel({
    mixed: (_request, response, { messages }) => {
      if (messages.some(({ content }) => content === 'hang')) return
      const isAnswered = messages.some(({ role }) => role === 'tool')
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(isAnswered ? answer('done') : toolCalls(1))
    },
  })
  const program = fileURLToPath(new URL('leak-program.ts', import.meta.url))
  const args = ['--expose-gc', program, '2000', String(RUNS)]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: model.env('mixed') })
  const { before, after } = JSON.parse(stdout)
  process.stdout.write(`heap per run: ${((after.heapBytes - before.heapBytes) / RUNS).toFixed(0)} bytes\n`)
  expect(stderr).toBe('')
  expect(after.heapBytes - before.heapBytes).toBeLessThan(RUNS * 1000)
  expect(after.resources).toBeLessThanOrEqual(before.resources + KEPT_CONNECTIONS)
  await model.until(0)
  await model.close()
})
