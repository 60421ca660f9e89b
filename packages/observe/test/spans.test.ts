import { ScriptedModel } from '@agent-task-service/engine/testing'
import { ToolError } from '@agent-task-service/engine/tool'
import { type Collector, startCollector, type TestSpan } from '@agent-task-service/test-support/collector'
import { asks, call, fails, json, says } from '@agent-task-service/test-support/openai-replies'
import { inTurn, openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { type ServiceOptions, type TestService, testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const TRACEPARENT = `00-${CALLER.trace}-${CALLER.span}-01`
const RUN = 'invoke_agent Agent Task Service'
const busy = fails(503, undefined, { 'retry-after': '0' })

interface Traced {
  readonly collector: Collector
  readonly service: TestService
}

async function traced(env: Record<string, string> = {}, options: ServiceOptions = {}): Promise<Traced> {
  const collector = await startCollector()
  const service = await testService({ ...collector.env, ...env }, options)
  return { collector, service }
}

const namesOf = (spans: readonly TestSpan[]) => spans.map(({ name }) => name).sort()

// EVIDENCE-OF docs/configuration.md: | `TEMPERATURE` |
test('a run with tools: one tree under the request, each span inside its parent', async () => {
  const server = await openAIServer(
    inTurn(
      asks([call('add', { a: 1, b: 2 }, 'call_1'), call('add', { a: 2, b: 3 }, 'call_2')], {
        id: 'chatcmpl-1',
        usage: { prompt_tokens: 100, completion_tokens: 20 },
      }),
      says('3 and 5', { id: 'chatcmpl-2', usage: { prompt_tokens: 200, completion_tokens: 7 } }),
    ),
  )
  const { collector, service } = await traced(
    { ...server.env, AGENT_ID: 'agent-7', AGENT_NAME: 'Adder', TEMPERATURE: '0.5' },
    { tools: [add] },
  )
  const reply = await service.run('Add.', { max_tokens: 200 })
  await service.close()
  expect(reply.status).toBe('success')

  const request = collector.span('POST /run')
  const run = collector.span('invoke_agent Adder')
  expect([request.parentId, run.parentId]).toEqual([undefined, request.id])
  expect(namesOf(collector.children(run))).toEqual([
    'chat first-model',
    'chat first-model',
    'execute_tool add',
    'execute_tool add',
  ])
  expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(collector.calls).toHaveLength(6)
  for (const span of collector.spans) {
    const parent = collector.spans.find(({ id }) => id === span.parentId)
    expect(span.start <= span.end).toBe(true)
    if (parent) expect(parent.start <= span.start && span.end <= parent.end).toBe(true)
  }

  const provider = {
    'gen_ai.provider.name': 'openai',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(server.env.OPENAI_BASE_URL).port),
  }
  expect(request).toMatchObject({ kind: 'server', failed: false })
  expect(request.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/run',
    'url.path': '/run',
    'url.scheme': 'http',
    'http.response.status_code': 200,
  })
  expect(run).toMatchObject({ kind: 'internal', failed: false })
  expect(run.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'agent.id': 'agent-7',
    'gen_ai.agent.name': 'Adder',
    'gen_ai.request.model': 'first-model',
    'gen_ai.usage.input_tokens': 300,
    'gen_ai.usage.output_tokens': 27,
    'agent.task.id': 'test-1',
    'agent.run.status': 'success',
    'agent.run.stop': 'answer',
    'agent.run.cut': false,
    'agent.run.steps': 4,
  })
  const [first, second] = collector.spansNamed('chat first-model')
  expect(first).toMatchObject({ kind: 'client', failed: false })
  expect(first?.attributes).toEqual({
    ...provider,
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'first-model',
    'gen_ai.request.max_tokens': 200,
    'gen_ai.request.temperature': 0.5,
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.response.model': 'first-model',
    'gen_ai.response.finish_reasons': ['tool_calls'],
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 20,
  })
  expect(second?.attributes).toMatchObject({
    'gen_ai.request.max_tokens': 180,
    'gen_ai.response.finish_reasons': ['stop'],
  })
  const tools = collector.spansNamed('execute_tool add')
  expect(tools[0]).toMatchObject({ kind: 'internal', failed: false })
  expect(tools.map(({ attributes }) => attributes)).toEqual(
    ['call_1', 'call_2'].map(id => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'add',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': id,
    })),
  )
})

test('each call is inside the span of its node, and each node inside the run', async () => {
  const model = new ScriptedModel([{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, '3'])
  const { collector, service } = await traced({}, { models: [model.named()], tools: [add] })
  await service.run('Add.')
  await service.close()
  const run = collector.span(RUN)
  const nodes = collector.spans.filter(({ parentId }) => parentId === run.id)
  const calls = collector.children(run)
  expect(calls).toHaveLength(3)
  for (const { parentId } of calls) expect(nodes.map(({ id }) => id)).toContain(parentId)
  for (const { name, attributes, failed } of nodes) {
    expect(name).toBe(`node ${attributes['agent.node']}`)
    expect(attributes['agent.node.superstep']).toBeGreaterThan(0)
    expect(failed).toBe(false)
  }
})

test('tries and the fallback model: a span each, with what went wrong', async () => {
  const unusable = json({ choices: [], usage: { prompt_tokens: 70, completion_tokens: 7 } })
  const server = await openAIServer(inTurn(busy, unusable, busy, busy, says('Done.')))
  const { collector, service } = await traced({ ...server.env, FALLBACK_MODEL: 'second-model' })
  expect(await service.run('Go.')).toMatchObject({ status: 'success' })
  await service.close()
  const tries = collector.children(collector.span(RUN))
  expect(tries.map(({ name, failed, attributes }) => [name, failed, attributes['error.type']])).toEqual([
    ['chat first-model', true, '503'],
    ['chat first-model', true, 'ModelReplyError'],
    ['chat first-model', true, '503'],
    ['chat first-model', true, '503'],
    ['chat second-model', false, undefined],
  ])
  expect(tries[1]?.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 70,
    'gen_ai.usage.output_tokens': 7,
  })
  expect(collector.span(RUN)).toMatchObject({
    failed: false,
    attributes: { 'gen_ai.request.model': 'second-model', 'agent.run.steps': 1 },
  })
})

test('a tool that hangs, one that refuses, one that throws, one that does not exist', async () => {
  const slow = tool('left', () => new Promise(() => {}), { timeLimitMs: 20 })
  const refuses = tool('refuses', () => {
    throw new ToolError('not today')
  })
  const throws = tool('throws', () => {
    throw new RangeError('secret of the tool')
  })
  const names = ['left', 'refuses', 'throws', 'no_such_tool']
  const model = new ScriptedModel([{ toolCalls: names.map(name => ({ name })) }, 'Done.'])
  const { collector, service } = await traced({}, { models: [model.named()], tools: [slow, refuses, throws] })
  expect(await service.run('Go.')).toMatchObject({ status: 'success' })
  await service.close()
  const calls = collector.spans.filter(({ name }) => name.startsWith('execute_tool'))
  expect(Object.fromEntries(calls.map(({ name, attributes }) => [name, attributes['error.type']]))).toEqual({
    'execute_tool left': 'ToolTimeout',
    'execute_tool refuses': 'ToolError',
    'execute_tool throws': 'RangeError',
    // The name is the model's own text.
    execute_tool: 'ToolError',
  })
  expect(calls.every(({ failed }) => failed)).toBe(true)
  expect(collector.text).not.toContain('secret of the tool')
})

test("continues the caller's trace, and names it in the run's log line", async () => {
  const { collector, service } = await traced()
  await service.post({ task_id: 'test-1', input: '1+1' }, { traceparent: TRACEPARENT, tracestate: 'a=1' })
  await service.close()
  const [request, run] = [collector.span('POST /run'), collector.span(RUN)]
  expect([request.traceId, request.parentId]).toEqual([CALLER.trace, CALLER.span])
  expect(service.lines.find(({ msg }) => msg === 'run')).toMatchObject({
    trace_id: CALLER.trace,
    span_id: run.id,
  })
})

test('requests that become no run, and health checks, which have no span', async () => {
  const { collector, service } = await traced({ AGENT_TOKENS: 'token-one' })
  expect((await service.post({ task_id: 'test-1', input: 'Go.' })).status).toBe(401)
  expect((await service.app.request('/run')).status).toBe(405)
  expect((await service.app.request('/health')).status).toBe(200)
  expect((await service.app.request('/else')).status).toBe(404)
  await service.close()
  const shown = collector.spans.map(({ name, failed, attributes }) => [
    name,
    failed,
    attributes['http.response.status_code'],
  ])
  expect(shown).toEqual([
    ['POST /run', false, 401],
    ['GET /run', false, 405],
  ])
})

// EVIDENCE-OF docs/configuration.md: | `OTEL_TRACES_SAMPLER` |
// EVIDENCE-OF docs/configuration.md: | `OTEL_TRACES_SAMPLER_ARG` |
test.each([
  ['parentbased_always_on', '', TRACEPARENT.replace(/01$/, '00')],
  ['traceidratio', '0', TRACEPARENT],
])(
  'OTEL_TRACES_SAMPLER=%s, argument %j, under %s: no spans, all metrics',
  async (sampler, ratio, traceparent) => {
    const { collector, service } = await traced({
      OTEL_TRACES_SAMPLER: sampler,
      OTEL_TRACES_SAMPLER_ARG: ratio,
    })
    await service.post({ task_id: 'test-1', input: '1+1' }, { traceparent })
    await service.close()
    expect(collector.spans).toHaveLength(0)
    expect(collector.metric('agent.runs')).toMatchObject([{ sum: 1 }])
  },
)
