import { expect, test } from 'vitest'
import type { ModelEntry } from '../../../graph/model/model-entry.ts'
import { OpenAIModel } from '../../../graph/model/openai-model.ts'
import { completion, type Envelope } from '../../support/openai-replies.ts'
import { type OpenAIServer, openAIServer, type Reply } from '../../support/openai-server.ts'
import { testService } from '../../support/service.ts'

/** The reply as a stream: its message in one or more deltas, then why it finished, then its usage. */
function streamed(message: Record<string, unknown>, { finish, usage }: Envelope = {}): Reply {
  const { content, refusal, tool_calls: calls, ...rest } = message
  const halves = (text: unknown) => {
    if (Array.isArray(text)) return text.map(part => [part])
    return typeof text === 'string' && text !== '' ? [text.slice(0, 2), text.slice(2)] : []
  }
  const deltas: object[] = [
    { role: 'assistant', ...rest },
    ...halves(content).map(content => ({ content })),
    ...halves(refusal).map(refusal => ({ refusal })),
    ...((calls ?? []) as object[]).map((call, index) => ({ tool_calls: [{ index, ...call }] })),
  ]
  const choices = [
    ...deltas.map(delta => ({ delta, finish_reason: null })),
    { delta: {}, finish_reason: finish },
  ]
  const chunks = [
    ...choices.map(choice => ({ choices: [{ index: 0, ...choice }] })),
    ...(usage === undefined ? [] : [{ choices: [], usage }]),
  ]
  return response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify({ id: 'chatcmpl-1', ...chunk })}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

type Turn = readonly [message: Record<string, unknown>, envelope: Envelope]

/**
 * The service's outcome for the same turns: streamed, unstreamed although a stream was requested, and unstreamed as
 * requested.
 */
async function eachWay(...turns: readonly Turn[]) {
  let isStreamed = true
  const server: OpenAIServer = await openAIServer(({ body }) => {
    const turn =
      turns[Math.min(body.messages.filter(({ role }) => role === 'assistant').length, turns.length - 1)]
    const [message, envelope] = turn!
    return isStreamed ? streamed(message, envelope) : completion(message, envelope)
  })
  const { MODEL: name, OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = server.env
  const create: ModelEntry['create'] = cap => new OpenAIModel({ model: name, apiKey, baseUrl, ...cap })
  const run = async (stream: boolean) => {
    const env = { ...server.env, ERROR_METRICS: 'filled' }
    const service = await testService(env, { models: [{ name, create, stream }] })
    const { metrics, ...reply } = await service.run('Hi', { max_tokens: 50 })
    expect(server.requests.at(-1)!.body.stream ?? false).toBe(stream)
    return { ...reply, metrics: { ...metrics, duration_sec: 0 }, stop: service.lines[0]?.stop }
  }
  const asStream = await run(true)
  isStreamed = false
  return { asStream, wholeInstead: await run(true), whole: await run(false) }
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const text = (text: string) => ({ type: 'text', text })
const tool = (args: unknown, id = 'call_1') => ({
  id,
  type: 'function',
  function: { name: 'calculator', arguments: args },
})

test.each<{ title: string; turns: Turn[]; stop: string }>([
  { title: 'an answer', turns: [[{ content: 'Hello.' }, { finish: 'stop', usage }]], stop: 'answer' },
  {
    title: 'an answer cut by its cap',
    turns: [[{ content: 'Hello' }, { finish: 'length', usage }]],
    stop: 'max_tokens',
  },
  {
    title: 'a cap used up before the first word',
    turns: [[{ content: '' }, { finish: 'length', usage }]],
    stop: 'max_tokens',
  },
  {
    title: 'a withheld answer',
    turns: [[{ content: 'How to' }, { finish: 'content_filter', usage }]],
    stop: 'content_filter',
  },
  {
    title: 'a refusal',
    turns: [
      [
        { content: null, refusal: 'I will not.' },
        { finish: 'stop', usage },
      ],
    ],
    stop: 'refusal',
  },
  { title: 'nothing', turns: [[{ content: '' }, { finish: 'stop', usage }]], stop: 'empty_answer' },
  {
    title: 'two tool calls, and an answer',
    turns: [
      [
        { content: null, tool_calls: [tool('{"expression":"1+1"}'), tool('{"expression":"2+2"}', 'call_2')] },
        { finish: 'tool_calls', usage },
      ],
      [{ content: 'Two and four.' }, { finish: 'stop', usage }],
    ],
    stop: 'answer',
  },
  {
    title: 'a tool call whose arguments are an object',
    turns: [
      [
        { content: null, tool_calls: [tool({ expression: '1+1' })] },
        { finish: 'tool_calls', usage },
      ],
      [{ content: 'Two.' }, { finish: 'stop', usage }],
    ],
    stop: 'answer',
  },
  {
    title: 'an answer in parts',
    turns: [
      [
        { content: [text('Two '), { type: 'thinking', thinking: [text('1+1')] }, text('it is.')] },
        { finish: 'stop', usage },
      ],
    ],
    stop: 'answer',
  },
  ...[undefined, '', 'model'].map(role => ({
    title: `the role ${JSON.stringify(role)}`,
    turns: [
      [
        { role, content: null, tool_calls: [tool('{"expression":"1+1"}')] },
        { finish: 'tool_calls', usage },
      ],
      [
        { role, content: 'Two.' },
        { finish: 'stop', usage },
      ],
    ] satisfies Turn[],
    stop: 'answer',
  })),
])('$title: a stream and an unstreamed reply give the same outcome', async ({ turns, stop }) => {
  const { asStream, wholeInstead, whole } = await eachWay(...turns)
  expect(asStream.stop).toBe(stop)
  expect(wholeInstead).toEqual(asStream)
  expect(whole).toEqual(asStream)
})
