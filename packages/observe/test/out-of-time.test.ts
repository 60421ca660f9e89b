import { startCollector } from '@agent-task-service/test-support/collector'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { asks, call, hangs, json } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const usage = (input: number, output: number) => ({
  usage: { prompt_tokens: input, completion_tokens: output },
})

/** A run out of time during its third try, after a paid one and a call. */
async function outOfTime() {
  const time = fakeTime()
  const unusable = json({ choices: [], ...usage(70, 7) })
  const server = await openAIServer(
    inTurn(unusable, asks([call('add', { a: 1, b: 2 })], usage(100, 10)), hangs),
  )
  const collector = await startCollector()
  const service = await testService(
    {
      ...server.env,
      ...collector.env,
      ERROR_METRICS: 'filled',
      RUN_TIMEOUT_SEC: '50',
      ANSWER_BY_SEC: '50',
      MODEL_PATIENCE_SEC: '119',
    },
    { tools: [add] },
  )
  const running = service.run('What is 1 + 2?')
  await time.until(server.arrival(2))
  const { metrics, status } = await time.until(running)
  expect(status).toBe('timeout')
  await service.close()
  return { collector, metrics }
}

test('a run out of time ends the spans of its calls, whatever they do', async () => {
  const { collector, metrics } = await outOfTime()
  const hung = collector.spansNamed('chat first-model').at(-1)
  expect(hung).toMatchObject({ failed: true, attributes: { 'error.type': 'deadline' } })
  const run = collector.span('invoke_agent Agent Task Service')
  expect(run).toMatchObject({ failed: true, attributes: { 'error.type': 'deadline' } })
  expect(collector.children(run)).toContainEqual(hung)
  expect(hung && hung.end <= run.end).toBe(true)
  expect(run.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': metrics.input_tokens,
    'gen_ai.usage.output_tokens': metrics.output_tokens,
  })
})

test('a run out of time, after a paid try and a call: the metrics match the reply', async () => {
  const { collector, metrics } = await outOfTime()
  const tokens = (type: 'input' | 'output') =>
    collector
      .metric(`gen_ai.client.inference.operation.${type}_tokens`)
      .reduce((total, { sum }) => total + sum, 0)
  expect(metrics.input_tokens).toBeGreaterThan(170)
  expect(tokens('input')).toBe(metrics.input_tokens)
  expect(tokens('output')).toBe(metrics.output_tokens)
  expect(collector.metric('agent.runs')).toMatchObject([
    { sum: 1, attributes: { 'agent.run.status': 'timeout' } },
  ])
})
