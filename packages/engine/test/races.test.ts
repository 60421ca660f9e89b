import { listen } from '@agent-task-service/engine/server'
import { crowd } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, hangs, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { type RunResponse, runResponse } from '@agent-task-service/wire/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'

const CALLERS = crowd(100, 10)

const faults: unknown[] = []
const note = (fault: unknown) => void faults.push(fault)

beforeAll(() => {
  process.on('warning', note)
  process.on('unhandledRejection', note)
})

afterAll(() => {
  process.off('warning', note)
  process.off('unhandledRejection', note)
})

test(`${CALLERS} answers that arrive at the deadline: exactly one valid reply each`, async () => {
  const time = fakeTime()
  const model = await openAIServer(async () => {
    await new Promise(resolve => setTimeout(resolve, 950 + 100 * Math.random()))
    return says('just so')
  })
  const { post, lines } = await testService({ ...model.env, RUN_TIMEOUT_SEC: '1' })
  const replies = Array.from({ length: CALLERS }, async (_, n) => {
    const response = await post({ task_id: `test-${n}`, input: 'anything' })
    return runResponse.parse(await response.json())
  })
  await model.arrival(CALLERS - 1)
  await time.pass(940)
  // So that each answer may arrive before the next is sent.
  for (let ms = 940; ms < 1_060; ms += 1) await time.pass(1)
  const bodies = await Promise.all(replies)
  expect(bodies.map(({ task_id }) => task_id)).toEqual(bodies.map((_, n) => `test-${n}`))
  for (const { status, output } of bodies) {
    expect(['success', 'timeout']).toContain(status)
    expect(output).toBe(status === 'success' ? 'just so' : '')
  }
  expect(lines.filter(({ status }) => status)).toHaveLength(CALLERS)
  expect(faults).toEqual([])
})

// EVIDENCE-OF docs/reference/errors.md: Every caller hung up, so the run was cancelled; nobody reads the reply
// EVIDENCE-OF docs/reference/threat-model.md: When the last caller hangs up, the run ends, down to the model's socket.
test(`${CALLERS} callers hang up midway: their model calls end, the next run is unaffected`, async () => {
  const model = await openAIServer(() => hangs)
  const service = await testService(model.env)
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
  await model.arrival(CALLERS - 1)
  for (const caller of callers) caller.abort()
  const outcomes = await Promise.allSettled(calls)
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
  for (const { closed } of model.requests) await closed
  await service.tasks.idle()
  expect(service.lines.map(({ stop }) => stop)).toEqual(Array(CALLERS).fill('hang_up'))
  await drain(1000)

  const next = await testService((await openAIServer(inTurn(says('done')))).env)
  expect(await next.run('anything')).toMatchObject({ status: 'success', output: 'done' })
  expect(faults).toEqual([])
})

// EVIDENCE-OF docs/reference/image.md: one JSON object per line on standard output; no secrets, no texts of tasks or answers.
// EVIDENCE-OF docs/guides/deployment.md: One line per run: ids, counts, codes, no texts.
// EVIDENCE-OF docs/reference/threat-model.md: A line, a span or a reply contains a secret or a task's text
test(`${CALLERS} runs at once: no run's text in another's reply, and none in a log line`, async () => {
  // Asks for a sum, then answers with the task's marker.
  const model = await openAIServer(async ({ body: { messages } }) => {
    await new Promise(resolve => setTimeout(resolve, 50 * Math.random()))
    const task = messages.find(({ role }) => role === 'user')?.content
    const sum = () => call('add', { a: 1, b: 1 })
    return messages.some(({ role }) => role === 'tool') ? says(`seen: ${task}`) : asks([sum(), sum()])
  })
  const { run, lines } = await testService({ ...model.env, LOG_LEVEL: 'trace' }, { tools: [add] })
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
