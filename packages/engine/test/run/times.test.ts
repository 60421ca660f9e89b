import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { warmUp } from '@agent-task-service/test-support/service'
import { beforeAll, beforeEach, expect, test } from 'vitest'

let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

const wait = (seconds: number) => new Promise(resolve => setTimeout(resolve, 1000 * seconds))
const after = (seconds: number, reply: object): ScriptedReply => ({ after: () => wait(seconds), ...reply })
const slow = tool('slow', async () => {
  await wait(3)
  return 'Done.'
})
const twice = {
  toolCalls: [
    { name: 'slow', args: { n: 1 } },
    { name: 'slow', args: { n: 2 } },
  ],
}

async function serve(script: readonly ScriptedReply[], env: Record<string, string> = {}) {
  const models = [{ ...new ScriptedModel(script).named(), patienceMs: 60_000 }]
  return await testService(agent, { env, models, tools: [slow] })
}

/** Whole seconds of a run, since what happens at once takes no time. */
function timesIn({ lines }: Awaited<ReturnType<typeof serve>>, task = 'test-1') {
  const isOf = ({ msg, task_id }: (typeof lines)[number]) => msg === 'run' && task_id === task
  const { queued_sec, models_sec, tools_sec, retries } = lines.find(isOf)!
  const seconds = [queued_sec, models_sec, tools_sec].map(value => Math.floor(Number(value)))
  return [...seconds, retries]
}

// EVIDENCE-OF docs/guides/operations.md: While several calls run at once, the time counts once
test('seconds in models and in tools: of calls beside each other, the time counts once', async () => {
  const service = await serve([after(2, twice), after(1, { text: 'Done.' })])
  await time.until(service.run('Hello'))
  expect(timesIn(service)).toEqual([0, 3, 3, undefined])
})

test('the waits before a model is asked again are time in models', async () => {
  const limited = Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '4' } })
  const service = await serve([limited, limited, 'Done.'])
  await time.until(service.run('Hello'))
  expect(timesIn(service)).toEqual([0, 8, 0, 2])
})

test('a run that waits for another one says how long', async () => {
  const service = await serve([after(5, { text: 'One.' }), after(1, { text: 'Two.' })], {
    MAX_CONCURRENT_RUNS: '1',
  })
  await time.until(Promise.all([service.run('Hello', {}, 'test-1'), service.run('Hello', {}, 'test-2')]))
  expect(timesIn(service, 'test-2')).toEqual([5, 1, 0, undefined])
})

test('a run that ends before it begins was queued to its end', async () => {
  const service = await serve([after(9, { text: 'One.' })], {
    MAX_CONCURRENT_RUNS: '1',
    RUN_TIMEOUT_SEC: '4',
  })
  await time.until(Promise.all([service.run('Hello', {}, 'test-1'), service.run('Hello', {}, 'test-2')]))
  expect(timesIn(service, 'test-2')).toEqual([4, 0, 0, undefined])
})
