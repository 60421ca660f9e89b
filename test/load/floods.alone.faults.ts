import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { crowd, some } from '@agent-task-service/test-support/at-length'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess, type TestProcess } from '@agent-task-service/test-support/process'
import { taskHead } from '@agent-task-service/test-support/raw-socket'
import { expect, onTestFinished, test } from 'vitest'

/** What Node takes by itself in a container of 512 MiB. */
const NODE = ['--max-old-space-size=256']
const TOKEN = 'a-token-of-this-test'
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` }
/** Most resident memory, in MB: in a flood, and while runs are in progress. */
const [MAX_RESIDENT, MAX_RESIDENT_OF_RUNS] = [330, 400]
/** How long a flood is kept up at most, in milliseconds. */
const FLOOD_MS = crowd(30_000, 10_000)

function requestFor(task_id: string, token: string | undefined): Buffer {
  const body = JSON.stringify({ task_id, input: 'Hello there' })
  const authorization = token ? [`Authorization: Bearer ${token}`] : []
  return Buffer.from(taskHead(...authorization, `Content-Length: ${body.length}`) + body)
}

/** Pipelines the request `count` times on one connection. Resolves when it closes or every reply is there. */
function pipeline(port: number, request: Buffer, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const batch = Buffer.concat(Array(500).fill(request))
  let left = count
  const send = () => {
    for (; left > 0; left -= 500) if (!socket.write(batch)) return void socket.once('drain', send)
  }
  let replies = 0
  return new Promise(resolve => {
    socket.on('connect', send)
    socket.on('data', data => {
      replies += data.toString('latin1').split('HTTP/1.1 ').length - 1
      if (replies >= count) resolve()
    })
    socket.on('error', () => resolve())
    socket.on('close', () => resolve())
  })
}

// EVIDENCE-OF docs/reference/threat-model.md: | | One connection sends requests faster than they are answered, or many callers wait for
//   one run |
test.each(
  some(
    [
      { flood: '300,000 requests without a token', connections: 1, each: 300_000, token: undefined },
      { flood: '300,000 tasks', connections: 1, each: 300_000, token: TOKEN },
      { flood: '100,000 callers of one run', connections: 100, each: 1_000, token: TOKEN, isOneRun: true },
    ],
    10,
  ),
)("$flood, pipelined: others' runs and health checks are answered", async row => {
  const model = await openAIServer(async () => {
    await new Promise(resolve => setTimeout(resolve, 100))
    return says('done', { usage: { prompt_tokens: 10, completion_tokens: 5 } })
  })
  const service = await startProcess({ ...model.env, AGENT_TOKENS: TOKEN }, NODE)
  const port = Number(new URL(service.url).port)
  const request = requestFor(row.isOneRun ? crypto.randomUUID() : 'test-1', row.token)
  const end = new Promise<void>(resolve => setTimeout(resolve, FLOOD_MS))
  let isOver = false
  const over = Promise.race([
    end,
    Promise.all(Array.from({ length: row.connections }, () => pipeline(port, request, row.each))),
  ]).then(() => {
    isOver = true
  })
  const outcomes: unknown[] = []
  for (let n = 0; !isOver; n += 1) {
    const reply = await service.post({ task_id: `test-${n}`, input: 'Hello' }, { headers: AUTHORIZED })
    const health = await fetch(`${service.url}/health`)
    outcomes.push([health.status, ((await reply.json()) as { status: string }).status])
    await health.text()
  }
  await over
  expect(outcomes).toEqual(outcomes.map(() => [200, 'success']))
  const peak = peakOf(service)
  process.stdout.write(`${row.flood}: ${outcomes.length} other runs, peak ${peak} MB\n`)
  expect(peak).toBeLessThan(MAX_RESIDENT)
})

// EVIDENCE-OF docs/guides/deployment.md: Add Redis if a task must not be paid for twice or its answer must not depend on the replica.
// EVIDENCE-OF docs/guides/deployment.md: | 500 |
test('500 tasks at once, each with a tool call: all are answered', async () => {
  const model = await openAIServer(async ({ body: { messages } }) => {
    await new Promise(resolve => setTimeout(resolve, 500))
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    if (messages.some(({ role }) => role === 'tool')) return says('17 * 23 = 391', { usage })
    return asks([call('calculator', { expression: '17*23' })], { usage })
  })
  const service = await startProcess({ ...model.env, MAX_CONCURRENT_RUNS: '500' }, NODE)
  const tasks = Array.from({ length: 500 }, async (_, n) => {
    const reply = await service.post({ task_id: `test-${n}`, input: 'What is 17*23?' })
    return (await reply.json()) as { status: string }
  })
  const statuses = (await Promise.all(tasks)).map(({ status }) => status)
  expect(statuses).toEqual(Array(500).fill('success'))
  const peak = peakOf(service)
  process.stdout.write(`500 tasks at once: peak ${peak} MB\n`)
  expect(peak).toBeLessThan(MAX_RESIDENT_OF_RUNS)
})

/** The most that was resident, in MB. */
function peakOf({ child }: TestProcess): number {
  return Math.round(
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
  )
}
