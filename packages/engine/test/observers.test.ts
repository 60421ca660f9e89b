import type { Observability } from '@agent-task-service/engine/observe'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** An observer, and what it is told. */
function observing(name: string) {
  const told: string[] = []
  const extra: Observability = {
    variables: z.object({}),
    backend: name,
    async start(_settings, { agent, onDelivery }) {
      onDelivery(new Error('nobody listens'))
      return {
        request: ({ method, path }) => ({
          startRun() {
            told.push(`${method} ${path}`)
            return {
              ids: { [name]: agent.id },
              record: ({ type }) => void told.push(type),
              finish: ({ status, usage }, taskId) => void told.push(`${status} ${taskId} ${usage.steps}`),
            }
          },
          end: status => void told.push(String(status)),
        }),
        fleet: {
          shares: () => {},
          task: event => void told.push(event),
          effect: () => {},
          store: () => {},
        },
        close: async () => void told.push('closed'),
      }
    },
  }
  return { extra, told }
}

test('several packages may observe: each learns of requests, runs and shared tasks, and the log names them', async () => {
  const [one, two] = [observing('one'), observing('two')]
  const quiet: Observability = { ...one.extra, start: async () => undefined }
  const { post, lines, close } = await testService(
    { ...agent, observe: [one.extra, quiet, two.extra] },
    { models: [new ScriptedModel(['Hi!']).named()] },
  )
  const id = '0d6d8a1e-5f5c-4b8e-9a3b-1f7d6c2b4a90'
  for (const task_id of [id, id]) await post({ task_id, input: 'Hello' })
  await close()
  const run = ['run_started', 'node_started', 'model_started', 'model_finished', 'node_finished']
  const { told } = one
  expect(told.filter(line => !/^(run|node|model|limit)/.test(line))).toEqual([
    'POST /run',
    `success ${id} 1`,
    '200',
    'replayed',
    '200',
    'closed',
  ])
  expect(told).toEqual(expect.arrayContaining(run))
  expect(two.told).toEqual(told)
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ one: 'agent-1', two: 'agent-1' })
  const undelivered = lines.filter(({ msg }) => msg === 'telemetry is not delivered')
  expect(undelivered.map(({ backend }) => backend)).toEqual(['one', 'two'])
})
