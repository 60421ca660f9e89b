import type { ModelEntry } from '@agent-task-service/engine'
import { startBackend } from '@agent-task-service/test-support/backend'
import { openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { ChatOllama } from '@langchain/ollama'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** What a model says in one turn. */
interface Turn {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly args: object; readonly id?: string }[]
  readonly usage?: { readonly input: number; readonly output: number }
}

/** Collects the lists that it is called with. */
function collector() {
  const got: unknown[] = []
  const collect = tool(
    ({ items }) => {
      got.push(items)
      return `got ${items.length}`
    },
    {
      name: 'collect',
      description: 'Collects.',
      schema: z.object({ items: z.array(z.string()) }),
      metadata: { readOnlyHint: true },
    },
  )
  return { collect, got }
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

/** A model that says these turns, behind each kind of server, and the service's environment or models for it. */
const CLASSES = {
  OpenAIModel: async (turns: readonly Turn[]) => {
    const server = await openAIServer((_, index) => completion(turns[index] ?? { text: 'Done.' }))
    return { env: server.env, models: undefined, requests: () => server.requests.map(({ body }) => body) }
  },
  ChatOllama: async (turns: readonly Turn[]) => {
    const requests: Asked[] = []
    const { url } = await startBackend(async (response, { body }) => {
      requests.push(JSON.parse(body.toString()))
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.end(inOllama(turns[requests.length - 1] ?? { text: 'Done.' }))
    })
    const create: ModelEntry['create'] = ({ maxTokens }) =>
      new ChatOllama({ model: 'm', baseUrl: url, maxRetries: 0, ...(maxTokens && { numPredict: maxTokens }) })
    return { env: {}, models: [{ name: 'ollama', create }], requests: () => requests }
  },
}

function completion({ text = '', calls = [], usage }: Turn): Reply {
  const tool_calls = calls.map(({ name, args, id }) => ({
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }))
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) }
  return response => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({
        choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
        ...(usage && { usage: { prompt_tokens: usage.input, completion_tokens: usage.output } }),
      }),
    )
  }
}

function inOllama({ text = '', calls = [], usage }: Turn): string {
  const tool_calls = calls.map(({ name, args }) => ({ function: { name, arguments: args } }))
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) }
  const end = {
    done: true,
    done_reason: 'stop',
    ...(usage && { prompt_eval_count: usage.input, eval_count: usage.output }),
  }
  const rest = { role: 'assistant', content: '' }
  return [
    { model: 'm', message, done: false },
    { model: 'm', message: rest, ...end },
  ]
    .map(line => `${JSON.stringify(line)}\n`)
    .join('')
}

const items = ['a', 'b']
const call = (name = 'collect', args: object = { items }, id?: string) => ({
  name,
  args,
  ...(id !== undefined && { id }),
})

const CASES: readonly {
  readonly title: string
  readonly turns: readonly Turn[]
  readonly got?: unknown[]
}[] = [
  { title: 'a decorated name', turns: [{ calls: [call('functions.collect')] }], got: [items] },
  {
    title: 'a control token behind a name',
    turns: [{ calls: [call('collect<|channel|>commentary')] }],
    got: [items],
  },
  {
    title: 'a list as JSON text',
    turns: [{ calls: [call('collect', { items: '["a","b"]' })] }],
    got: [items],
  },
  {
    title: 'a call written as text',
    turns: [{ text: '<tool_call>\n{"name": "collect", "arguments": {"items": ["a", "b"]}}\n</tool_call>' }],
    got: [items],
  },
  {
    title: 'a call written as JSON, whose members are in another order',
    turns: [{ text: '{"arguments": {"items": ["a", "b"]}, "name": "collect"}' }],
    got: [items],
  },
  { title: 'thoughts in the text', turns: [{ text: '<think>Hm.</think>\n\nDone.' }], got: [] },
  { title: 'an answer that nobody sees', turns: [{ text: '\u200b\u2060\ufeff \u00ad' }], got: [] },
  {
    title: 'calls in two rounds with the same id, or none',
    turns: [
      { calls: [call('collect', { items: ['a'] }, 'x')] },
      { calls: [call('collect', { items: ['b'] }, 'x')] },
    ],
    got: [['a'], ['b']],
  },
]

test.each(CASES.flatMap(row => (['OpenAIModel', 'ChatOllama'] as const).map(name => ({ ...row, name }))))(
  '$name: $title',
  async ({ name, turns, got }) => {
    const { env, models, requests } = await CLASSES[name](turns)
    const { collect, got: collected } = collector()
    const { run } = await testService(env, { tools: [collect], ...(models && { models }) })
    expect(await run('Collect a and b.')).toMatchObject({ status: 'success', output: 'Done.' })
    expect(collected).toEqual(got)
    const sent = JSON.stringify(requests().at(-1))
    expect(sent).not.toMatch(/functions\.collect|<\|channel\|>|<tool_call>/)
  },
)

test.each(['OpenAIModel', 'ChatOllama'] as const)('%s: usage as it is reported', async name => {
  const { env, models } = await CLASSES[name]([{ text: 'Done.', usage: { input: 11, output: 3 } }])
  const { run } = await testService(env, { ...(models && { models }) })
  expect(await run('Go.')).toMatchObject({ metrics: { input_tokens: 11, output_tokens: 3, steps: 1 } })
})
