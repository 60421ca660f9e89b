import { type Collector, startCollector } from '@agent-task-service/test-support/collector'
import { asks, call, fails, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import type { RunResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'

const usage = (input: number, output: number) => ({
  usage: { prompt_tokens: input, completion_tokens: output },
})

async function measured(script: Script, env: Record<string, string> = {}) {
  const server = await openAIServer(script)
  const collector = await startCollector()
  const service = await testService(
    { ...server.env, ...collector.env, ERROR_METRICS: 'filled', ...env },
    { tools: [add] },
  )
  return { collector, service }
}

/** Tokens of all model calls. */
function tokens(collector: Collector, type: 'input' | 'output'): number {
  const calls = collector.metric(`gen_ai.client.inference.operation.${type}_tokens`)
  return calls.reduce((total, { sum }) => total + sum, 0)
}

const total = (replies: readonly RunResponse[], key: 'input_tokens' | 'output_tokens') =>
  replies.reduce((sum, { metrics }) => sum + (metrics[key] ?? 0), 0)

test('many runs: sums over their replies, a count for each outcome', async () => {
  const { collector, service } = await measured(({ body }) => {
    const input = String(body.messages[1]?.content)
    if (input === 'fail') return fails(403)
    return body.messages.some(({ role }) => role === 'tool')
      ? says('Done.', usage(200, Number(input)))
      : asks([call('add', { a: 1, b: 2 })], usage(100, 5))
  })
  const inputs = [...Array.from({ length: 20 }, (_, n) => String(n + 1)), 'fail', 'fail', 'fail']
  const replies = await Promise.all(inputs.map((input, n) => service.run(input, undefined, `test-${n}`)))
  await service.close()
  expect(tokens(collector, 'input')).toBe(total(replies, 'input_tokens'))
  expect(tokens(collector, 'output')).toBe(total(replies, 'output_tokens'))
  const counts = collector
    .metric('agent.runs')
    .map(({ attributes, sum }) => [attributes['agent.run.stop'], sum])
  expect(Object.fromEntries(counts)).toEqual({ answer: 20, model_rejected: 3 })

  const runs = collector.metric('gen_ai.invoke_agent.duration')
  const operations = [
    ...collector.metric('gen_ai.client.inference.duration'),
    ...collector.metric('gen_ai.execute_tool.duration'),
    ...runs,
  ]
  const shown = operations.map(({ attributes, count }) => [
    attributes['gen_ai.operation.name'],
    attributes['error.type'],
    count,
  ])
  expect(shown).toHaveLength(5)
  expect(shown).toEqual(
    expect.arrayContaining([
      ['chat', undefined, 40],
      ['chat', '403', 3],
      ['execute_tool', undefined, 20],
      ['invoke_agent', undefined, 20],
      ['invoke_agent', 'model_rejected', 3],
    ]),
  )
  const seconds = replies.reduce((sum, { metrics }) => sum + (metrics.duration_sec ?? 0), 0)
  // A reply's duration is rounded to milliseconds.
  expect(Math.abs(runs.reduce((sum, point) => sum + point.sum, 0) - seconds)).toBeLessThan(
    0.0006 * replies.length,
  )
  expect(collector.metric('http.server.request.duration')).toMatchObject([
    {
      count: 23,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/run',
        'http.response.status_code': 200,
        'url.scheme': 'http',
      },
    },
  ])
})

test("callers' input creates no series", async () => {
  const { collector, service } = await measured(() => fails(400))
  const requests = Array.from({ length: 20 }, (_, n) => [`/path-${n}`, n % 2 ? 'GET' : `METHOD${n}`] as const)
  for (const [path, method] of requests) await service.app.request(path, { method })
  for (let n = 0; n < 5; n += 1) await service.run(`Task ${n}`, undefined, `test-${n}`)
  await service.close()
  const series = collector
    .metric('http.server.request.duration')
    .map(({ attributes }) => [
      attributes['http.request.method'],
      attributes['http.route'],
      attributes['http.response.status_code'],
    ])
  expect(series).toHaveLength(3)
  expect(series).toEqual(
    expect.arrayContaining([
      ['_OTHER', undefined, 404],
      ['GET', undefined, 404],
      ['POST', '/run', 200],
    ]),
  )
  expect(collector.metric('agent.runs')).toHaveLength(1)
})
