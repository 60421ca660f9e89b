import { startCollector } from '@agent-task-service/test-support/collector'
import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { expect, test } from 'vitest'

const RUN = 'invoke_agent Agent Task Service'

/** Everywhere a run is reported: its reply, its log line, its model calls, its span and its metric. */
async function tellings(input: string, max_tokens: number) {
  const collector = await startCollector()
  const service = await serve(collector.env)
  const task = { task_id: 'test-1', input, config: { max_tokens } }
  const events = await watchRun(service.url, task).rest()
  await service.drain(500)
  await service.close()
  const last = events.at(-1)
  if (last?.type !== 'run_finished') throw new Error(`expected run_finished, got ${last?.type}`)
  return {
    reply: last.data.response,
    line: service.lines.find(({ msg }) => msg === 'run'),
    calls: events.flatMap(({ type, data }) => (type === 'model_finished' ? [data.cut] : [])),
    span: collector.spansNamed(RUN)[0]?.attributes['agent.run.cut'],
    counts: collector.metric('agent.runs').map(({ attributes, sum }) => [attributes['agent.run.cut'], sum]),
  }
}

test('offline model: a cut answer is reported everywhere but on the wire', async () => {
  const { reply, ...told } = await tellings('2+2', 20)
  expect(reply).toMatchObject({ status: 'success', metrics: { output_tokens: 20 } })
  expect(Object.keys(reply)).toEqual(['task_id', 'status', 'output', 'metrics'])
  expect(told).toMatchObject({
    line: { status: 'success', stop: 'max_tokens', cut: true },
    calls: [false, true],
    span: true,
    counts: [[true, 1]],
  })
})
