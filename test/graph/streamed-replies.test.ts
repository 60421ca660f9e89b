import { expect, test } from 'vitest'
import { completion, type Envelope } from '../support/openai-replies.ts'
import { type OpenAIServer, openAIServer, type Reply } from '../support/openai-server.ts'
import { testService } from '../support/service.ts'

/** The reply as a stream: its message in one delta or more, then why it finished, then what it cost. */
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

/** The same turns of the model, whole and streamed; what the service makes of each. */
async function bothWays(...turns: readonly Turn[]) {
  const reply = ([message, envelope]: Turn, isStreamed: boolean) =>
    isStreamed ? streamed(message, envelope) : completion(message, envelope)
  const server: OpenAIServer = await openAIServer(({ body }) => {
    const turn =
      turns[Math.min(body.messages.filter(({ role }) => role === 'assistant').length, turns.length - 1)]
    return reply(turn!, body.stream === true)
  })
  const service = await testService({ ...server.env, ERROR_METRICS: 'filled' })
  const task = { task_id: 'test-1', input: 'Hi', config: { max_tokens: 50 } }
  const whole = await (await service.post(task)).json()
  const events = await (await service.post(task, { accept: 'text/event-stream' })).text()
  const { response } = JSON.parse(/event: run_finished\n.*\ndata: (.*)/.exec(events)?.[1] ?? '{}')
  const stops = service.lines.map(({ stop }) => stop)
  for (const { metrics } of [whole, response]) delete metrics.duration_sec
  return { whole, streamed: response, stops }
}

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const text = (text: string) => ({ type: 'text', text })
const tool = (args: unknown, id = 'call_1') => ({
  id,
  type: 'function',
  function: { name: 'calculator', ...(args !== undefined && { arguments: args }) },
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
    title: 'an answer withheld',
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
    title: 'a tool call whose arguments are JSON itself',
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
    title: 'a tool call without arguments',
    turns: [
      [
        { content: null, tool_calls: [tool(undefined)] },
        { finish: 'tool_calls', usage },
      ],
      [{ content: 'None.' }, { finish: 'stop', usage }],
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
])('$title: a stream and a whole reply come to the same', async ({ turns, stop }) => {
  const { whole, streamed, stops } = await bothWays(...turns)
  expect(stops).toEqual([stop, stop])
  expect(streamed).toEqual(whole)
})
