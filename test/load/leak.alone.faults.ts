import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAtLength } from '@agent-task-service/test-support/at-length'
import { asks, call, hangs, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { expect, test } from 'vitest'

const RUNS = 12_000
/** Connections that one model server's client may keep open. */
const KEPT_CONNECTIONS = 200

test.runIf(isAtLength)(
  `${RUNS} runs with tool calls and hang-ups leave less than 1 kB of heap each`,
  async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const model = await openAIServer(({ body: { messages } }) => {
      if (messages.some(({ content }) => content === 'hang')) return hangs
      const isAnswered = messages.some(({ role }) => role === 'tool')
      return isAnswered
        ? says('done', { usage })
        : asks([call('calculator', { expression: '1+1' })], { usage })
    })
    const program = fileURLToPath(new URL('leak-program.ts', import.meta.url))
    const args = ['--expose-gc', program, '2000', String(RUNS)]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env: { ...model.env } })
    const { before, after } = JSON.parse(stdout)
    process.stdout.write(`heap per run: ${((after.heapBytes - before.heapBytes) / RUNS).toFixed(0)} bytes\n`)
    expect(stderr).toBe('')
    expect(after.heapBytes - before.heapBytes).toBeLessThan(RUNS * 1000)
    expect(after.resources).toBeLessThanOrEqual(before.resources + KEPT_CONNECTIONS)
  },
)
