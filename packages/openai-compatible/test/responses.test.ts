import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { json, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { add } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAIResponses } from '@langchain/openai'
import { beforeEach, expect, test } from 'vitest'

// A run waits before it asks again.
let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})

type Json = Record<string, unknown>
const USAGE = {
  input_tokens: 100,
  output_tokens: 10,
  total_tokens: 110,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens_details: { reasoning_tokens: 4 },
}

/** Streams these events. */
const events =
  (...all: Json[]): Reply =>
  response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of all) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }
const text = (delta: string) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  content_index: 0,
  delta,
})
const message = (said: string) => ({
  type: 'response.output_item.done',
  output_index: 0,
  item: { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: said }] },
})
const ended = (more: Json = {}) => ({
  type: 'response.completed',
  response: { id: 'resp_1', object: 'response', model: 'm', status: 'completed', usage: USAGE, ...more },
})
const answer = (said: string) => events(text(said), message(said), ended())

/** A run over Responses, against a server that gives these replies in turn and then answers. */
async function runWith(replies: readonly Reply[], env: Json = {}, config: Json = {}) {
  const server = await openAIServer((_, index) => replies[index] ?? answer('At last.'))
  const settings = { ...server.env, OPENAI_API: 'responses', LOG_ERRORS: 'brief', ...env }
  const { run, lines } = await testService(settings as Record<string, string>, { tools: [add] })
  const reply = await time.until(run('Go.', { system_prompt: 'Be brief.', ...config }))
  return {
    reply,
    line: lines.find(({ msg }) => msg === 'run'),
    asked: server.requests.map(({ body }) => body as Json),
  }
}

const calls = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA', future_member: 1 },
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'add',
    arguments: '{"a":1,"b":2}',
    status: 'completed',
  },
  { type: 'item_of_the_future', id: 'x_1' },
]
const round = events(
  ...calls.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
  ended(),
)

test('items go back verbatim and in order, and the choice of no tool is sent', async () => {
  const { reply, asked } = await runWith([round], { MAX_STEPS: '4' })
  expect(reply).toMatchObject({
    status: 'success',
    output: 'At last.',
    metrics: { input_tokens: 200, output_tokens: 20 },
  })
  const [first, second] = asked as [Json, Json]
  expect(first).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], stream: true })
  expect(first.tools).toMatchObject([{ type: 'function', name: 'add', strict: false }])
  const output = { type: 'function_call_output', call_id: 'call_1', output: expect.stringMatching(/^3\n/) }
  expect((second.input as Json[]).slice(2)).toEqual([...calls, expect.objectContaining(output)])
  expect(second.tool_choice).toBe('none')
})

test.each(['The encrypted content gAAAA could not be verified.', 'no'])(
  'items that are refused when they come back are left out of the rest of the run: %s',
  async words => {
    const refusal = json({ error: { message: words, code: 'invalid_encrypted_content' } }, 400)
    const { reply, asked } = await runWith([round, refusal, answer('It is 3.')])
    expect(reply).toMatchObject({ status: 'success', output: 'It is 3.' })
    const types = asked.map(({ input }) => (input as Json[]).map(({ type }) => type))
    expect(types.slice(1).map(sent => sent.includes('reasoning'))).toEqual([true, false])
    expect(types[2]!.slice(-2)).toEqual(['function_call', 'function_call_output'])
  },
)

test.each([
  { name: 'a cleanly cut stream', reply: events(text('Half an ans')) },
  {
    name: 'a response that failed after text',
    reply: events(text('Half'), {
      ...ended({ status: 'failed', error: { code: 'server_error', message: 'Sorry' } }),
      type: 'response.failed',
    }),
  },
  {
    name: 'a nested error event',
    reply: events(text('Half'), { type: 'error', error: { type: 'server_error', message: 'Sorry' } }),
  },
  { name: 'a flat error event', reply: events({ type: 'error', code: 'server_error', message: 'Sorry' }) },
  { name: 'a web page', reply: json('<html>Bad gateway</html>') },
  {
    name: 'reasoning without text',
    reply: events({ type: 'response.output_item.done', output_index: 0, item: calls[0] }, ended()),
  },
  { name: 'HTTP 500', reply: json({ error: { message: 'Sorry' } }, 500) },
])('$name: asked again, and none of it is in the answer', async ({ reply }) => {
  const { reply: got, asked } = await runWith([reply])
  expect(got).toMatchObject({ status: 'success', output: 'At last.' })
  expect(asked).toHaveLength(2)
})

test.each([
  {
    name: 'a whole response',
    reply: json({ ...ended().response, output: [message('Whole.').item] }),
    output: 'Whole.',
  },
  {
    name: 'a whole response of two messages',
    reply: json({ ...ended().response, output: ['First.', 'Then.'].map(said => message(said).item) }),
    output: 'First.\n\nThen.',
  },
  { name: 'text only in its item', reply: events(message('Late.'), ended()), output: 'Late.' },
  {
    name: 'two messages',
    reply: events(
      ...['First.', 'Then.'].flatMap((said, output_index) => [
        { type: 'response.output_item.added', output_index, item: { type: 'message' } },
        { ...text(said), output_index },
        { ...message(said), output_index },
      ]),
      ended(),
    ),
    output: 'First.\n\nThen.',
  },
  {
    name: 'reasoning in the open, which has no encrypted form',
    reply: events(
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'Hm.' },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: {
          type: 'reasoning',
          id: 'rs_1',
          summary: [],
          content: [{ type: 'reasoning_text', text: 'Hm.' }],
        },
      },
      { ...text('Hi.'), output_index: 1 },
      { ...message('Hi.'), output_index: 1 },
      ended(),
    ),
    output: 'Hi.',
  },
  {
    name: 'an item that is null',
    reply: events(
      { type: 'response.output_item.added', output_index: 0, item: null },
      text('Hi.'),
      { type: 'response.output_item.done', output_index: 0, item: null },
      ended(),
    ),
    output: 'Hi.',
  },
  {
    name: 'items only at the end',
    reply: events(ended({ output: ['First.', 'Then.'].map(said => message(said).item) })),
    output: 'First.\n\nThen.',
  },
  {
    name: 'deltas, and items only at the end',
    reply: events(text('Hi.'), ended({ output: [message('Hi.').item] })),
    output: 'Hi.',
  },
  {
    name: 'an end without a status',
    reply: events(message('Hi.'), ended({ status: undefined })),
    output: 'Hi.',
  },
  {
    name: 'keepalives and unknown events',
    reply: events(
      { type: 'keepalive' },
      { type: 'response.of.tomorrow' },
      text('Hi.'),
      message('Hi.'),
      ended(),
    ),
    output: 'Hi.',
  },
])('$name', async ({ reply, output }) => {
  const { reply: got, asked } = await runWith([reply])
  expect(got).toMatchObject({ status: 'success', output })
  expect(asked).toHaveLength(1)
})

test('a reply cut by the cap is a success with the text so far', async () => {
  const cut = ended({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  const { reply, line, asked } = await runWith(
    [events(text('One two'), message('One two'), cut)],
    {},
    { max_tokens: 20 },
  )
  expect(reply).toMatchObject({ status: 'success', output: 'One two' })
  expect(line).toMatchObject({ stop: 'max_tokens' })
  expect(asked[0]?.max_output_tokens).toBe(20)
})

test.each([
  { name: 'text', items: [message('One two three four five six.').item], output: 'One two three four five' },
  {
    name: 'text within the cap',
    items: [message('One two.').item],
    used: 4,
    stop: 'answer',
    output: 'One two.',
  },
  { name: 'a call', items: [calls[1]], error: 'the cap of 5 generated tokens (max_tokens) was used up' },
  { name: 'reasoning', items: [calls[0]], error: 'the cap of 5 generated tokens (max_tokens) was used up' },
])('a cap below the least that OpenAI accepts cuts what its least brings: $name', async given => {
  const { items, used = 16, stop = 'max_tokens', output, error } = given
  const done = items.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  const end = ended({
    ...(used === 16 && incomplete),
    usage: { ...USAGE, output_tokens: used, total_tokens: 100 + used },
  })
  const { reply, line, asked } = await runWith([events(...(done as Json[]), end)], {}, { max_tokens: 5 })
  expect(asked.map(({ max_output_tokens }) => max_output_tokens)).toEqual([16])
  expect(line).toMatchObject({ stop, output_tokens: used })
  if (error) expect(reply).toMatchObject({ status: 'error', error: expect.stringContaining(error) })
  else expect(reply).toMatchObject({ status: 'success', output })
})

test('the usage of a failed response counts', async () => {
  const failed = {
    ...ended({ status: 'failed', error: { code: 'server_error', message: 'Sorry' } }),
    type: 'response.failed',
  }
  const { reply } = await runWith([events(text('Half'), failed)])
  expect(reply).toMatchObject({ status: 'success', metrics: { input_tokens: 200, output_tokens: 20 } })
})

test('a withheld answer and a refusal end the run', async () => {
  const withheld = ended({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
  expect((await runWith([events(text('I '), withheld)])).line).toMatchObject({ stop: 'content_filter' })
  const refused = events({ type: 'response.refusal.done', output_index: 0, refusal: 'I must not.' }, ended())
  expect((await runWith([refused])).reply).toMatchObject({ error: 'the model refused the task: I must not.' })
})

test.each([
  {
    param: 'temperature',
    env: { TEMPERATURE: '0.5' },
    said: "Unsupported parameter: 'temperature' is not supported with this model.",
  },
  { param: 'include', env: {}, said: 'Encrypted content is not supported with this model.' },
])('$param is left out once it was refused', async ({ param, env, said }) => {
  const { asked, reply } = await runWith([json({ error: { message: said, param } }, 400)], env)
  expect(reply).toMatchObject({ status: 'success' })
  expect(asked.map(body => param in body)).toEqual([true, false])
})

test('MODEL_PARAMS of chat completions are written as this API wants them', async () => {
  const schema = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }
  const MODEL_PARAMS = JSON.stringify({
    reasoning_effort: 'low',
    response_format: schema,
    verbosity: 'low',
    store: true,
  })
  const { asked } = await runWith([], { MODEL_PARAMS })
  expect(asked[0]).toMatchObject({
    reasoning: { effort: 'low' },
    text: { verbosity: 'low', format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
    store: true,
  })
})

const REFUSAL = (model: string) =>
  `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`

// EVIDENCE-OF docs/configuration.md: | `OPENAI_API` |
test('a server that points to /responses is asked there, after one wasted call in the life of the process', async () => {
  const server = await openAIServer(({ body }) =>
    'input' in body ? answer('From Responses.') : json({ error: { message: REFUSAL('gpt-5.6') } }, 400),
  )
  const { run, lines } = await testService({ ...server.env, MODEL: 'gpt-5.6' }, { tools: [add] })
  for (const id of ['test-1', 'test-2'])
    expect(await run('Go.', {}, id)).toMatchObject({ output: 'From Responses.' })
  expect(server.requests.map(({ body }) => 'input' in body)).toEqual([false, true, true])
  expect(lines).toContainEqual(expect.objectContaining({ learnt: { api: 'responses' } }))
})

// EVIDENCE-OF docs/configuration.md: | `FALLBACK_API` |
test.each([
  { api: 'responses', inputs: [false, true] },
  { api: 'chat', inputs: [true, false] },
])('FALLBACK_API=$api: the fallback is asked there, wherever the first model is', async ({ api, inputs }) => {
  const server = await openAIServer(({ body }) => {
    if (body.model === 'first') return json({ error: { message: 'no such key' } }, 401)
    return 'input' in body ? answer('Here.') : says('Here.')
  })
  const OPENAI_API = api === 'chat' ? 'responses' : 'chat'
  const env = { ...server.env, MODEL: 'first', OPENAI_API, FALLBACK_MODEL: 'second', FALLBACK_API: api }
  const { run } = await testService(env)
  expect(await run('Go.')).toMatchObject({ output: 'Here.' })
  expect(server.requests.map(({ body }) => 'input' in body)).toEqual(inputs)
})

test('a task that names /responses, quoted by a refusal, takes nothing down', async () => {
  const server = await openAIServer(({ body }) => {
    if ('input' in body) return json('', 404)
    const task = String(body.messages.at(-1)?.content)
    return task.includes('/responses')
      ? json({ error: { message: `cannot read: ${task}` } }, 422)
      : says('Hi.')
  })
  const { run } = await testService(server.env, { tools: [add] })
  const id = () => crypto.randomUUID()
  expect(await run('What is /responses?', {}, id())).toMatchObject({ status: 'error' })
  expect(await run('Hello', {}, id())).toMatchObject({ output: 'Hi.' })
  expect(server.requests.some(({ body }) => 'input' in body)).toBe(false)
})

test('a gateway that names /responses and lacks it fails each run by its own refusal', async () => {
  let isHealthy = false
  const server = await openAIServer(({ body }) => {
    if ('input' in body) return json('', 404)
    return isHealthy ? says('Hi.') : json({ error: { message: 'try /v1/responses' } }, 400)
  })
  const { run } = await testService(server.env, { tools: [add] })
  expect(await run('Hello', {}, crypto.randomUUID())).toMatchObject({
    error: expect.stringContaining('HTTP 400'),
  })
  // It goes back, and asks there no more.
  const paths = server.requests.map(({ body }) => ('input' in body ? 'responses' : 'chat'))
  expect(paths.slice(0, 3)).toEqual(['chat', 'responses', 'chat'])
  expect(paths.slice(3)).not.toContain('responses')
  isHealthy = true
  expect(await run('Hello', {}, crypto.randomUUID())).toMatchObject({ output: 'Hi.' })
})

// EVIDENCE-OF docs/configuration.md: | `OPENAI_API` |
test.each(['chat', 'responses'])('OPENAI_API=%s is kept', async setting => {
  const server = await openAIServer(() => json({ error: { message: 'use /v1/responses' } }, 404))
  const { run } = await testService({ ...server.env, OPENAI_API: setting }, { tools: [add] })
  expect(await run('Go.')).toMatchObject({ status: 'error' })
  expect(server.requests.map(({ body }) => 'input' in body)).toEqual([setting === 'responses'])
})

// EVIDENCE-OF docs/reference/graph-rules.md: | Checks and repairs of the reply | Lost, and so are the members that a provider
//   expects back, which `ChatOpenAI` drops
test("what this service does in place of LangChain's class is still needed", async () => {
  const plain = new ChatOpenAIResponses({ model: 'gpt-5.6', apiKey: 'k' })
  const tools = [{ type: 'function' as const, function: { name: 'add', parameters: {} } }]
  for (const tool_choice of ['none', 'auto', 'required'])
    expect(plain.invocationParams({ tools, tool_choice } as never).tool_choice).toBeUndefined()
  expect(plain.lc_serializable).toBe(true)
  const read = async (reply: AsyncIterable<object> | Iterable<object>) => {
    plain.completionWithRetry = (async () => reply) as never
    const pieces: string[] = []
    for await (const piece of plain._streamResponseChunks([new HumanMessage('Go.')], {} as never))
      pieces.push(piece.text)
    return pieces.join('')
  }
  // A failure and a cut after some text are successes.
  const failed = { ...ended({ status: 'failed' }), type: 'response.failed' }
  expect(await read([text('Half'), failed])).toBe('Half')
  expect(await read([text('Half')])).toBe('Half')
  // A context that is too long loses its status.
  const tooLong = Object.assign(new Error('maximum context length'), {
    status: 400,
    code: 'context_length_exceeded',
  })
  const overflow = (async function* () {
    yield text('')
    throw tooLong
  })()
  await expect(read(overflow)).rejects.not.toHaveProperty('status')
  // Where nothing is stored, a turn with an item of tomorrow cannot go back.
  plain.zdrEnabled = true
  const turn = new AIMessage({ content: '', response_metadata: { output: [{ type: 'item_of_tomorrow' }] } })
  await expect(plain._streamResponseChunks([turn], {} as never).next()).rejects.toThrow()
})
