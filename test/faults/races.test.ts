import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../src/http/server.ts'
import { type RunResponse, runResponse } from '../../src/wire/contract.ts'
import { testService } from '../support/service.ts'
import { answer, type HostileModel, hostileModel, toolCalls } from './hostile-model.ts'

const CALLERS = 100
/** Time for all of them to call their model. */
const RACE_DEADLINE_MS = 1000

let model: HostileModel
const faults: unknown[] = []
const note = (fault: unknown) => void faults.push(fault)

beforeAll(async () => {
  model = await hostileModel({
    // Answers around the deadline: up to 50 ms before or after it.
    at_the_deadline: (_request, response) => {
      const delay = RACE_DEADLINE_MS - 50 + 100 * Math.random()
      setTimeout(
        () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer('just so')),
        delay,
      )
    },
    // Asks for a sum, then answers with the task's marker.
    echo: (_request, response, { messages }) => {
      const isAnswered = messages.some(({ role }) => role === 'tool')
      const task = String(messages.find(({ role }) => role === 'user')?.content)
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(isAnswered ? answer(`seen: ${task}`) : toolCalls(2))
      }, 50 * Math.random())
    },
  })
  process.on('warning', note)
  process.on('unhandledRejection', note)
})

afterAll(async () => {
  process.off('warning', note)
  process.off('unhandledRejection', note)
  await model.close()
})

test(`${CALLERS} answers that arrive at the deadline: exactly one valid reply each`, async () => {
  const { post, lines } = await testService({
    ...model.env('at_the_deadline'),
    RUN_TIMEOUT_SEC: String(RACE_DEADLINE_MS / 1000),
  })
  const bodies = await Promise.all(
    Array.from({ length: CALLERS }, async (_, n) => {
      const response = await post({ task_id: `test-${n}`, input: 'anything' })
      return runResponse.parse(await response.json())
    }),
  )
  expect(bodies.map(({ task_id }) => task_id)).toEqual(bodies.map((_, n) => `test-${n}`))
  for (const { status, output } of bodies) {
    expect(['success', 'timeout']).toContain(status)
    expect(output).toBe(status === 'success' ? 'just so' : '')
  }
  expect(lines.filter(({ status }) => status)).toHaveLength(CALLERS)
  await model.until(0)
  expect(faults).toEqual([])
})

test(`${CALLERS} callers hang up midway: their model calls end, the next run is unaffected`, async () => {
  const service = await testService(model.env('hang_before_headers'))
  const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  const callers = Array.from({ length: CALLERS }, () => new AbortController())
  const calls = callers.map(({ signal }, n) =>
    fetch(`http://127.0.0.1:${port}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ task_id: `test-${n}`, input: 'anything' }),
      signal,
    }),
  )
  await model.until(CALLERS)
  for (const caller of callers) caller.abort()
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  await model.until(0)
  await service.tasks.idle()
  expect(service.lines.map(({ stop }) => stop)).toEqual(Array(CALLERS).fill('hang_up'))
  await drain(1000)

  const next = await testService(model.env('tool_calls_200'))
  expect(await next.run('anything')).toMatchObject({ status: 'success', output: 'done' })
  expect(faults).toEqual([])
})

test(`${CALLERS} runs at once: no run's text in another's reply, and none in a log line`, async () => {
  const { run, lines } = await testService({ ...model.env('echo'), LOG_LEVEL: 'trace' })
  const markers = Array.from({ length: CALLERS }, () => `marker-${crypto.randomUUID()}`)
  const replies = await Promise.all(
    markers.map((marker, n) => run(`Repeat ${marker}`, undefined, `test-${n}`)),
  )
  for (const [n, { status, output }] of (replies as RunResponse[]).entries()) {
    expect({ status, output }).toEqual({ status: 'success', output: `seen: Repeat ${markers[n]}` })
  }
  expect(lines.filter(({ status }) => status)).toHaveLength(CALLERS)
  expect(JSON.stringify(lines)).not.toContain('marker-')
})
