import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { TestState } from '@agent-task-service/test-support/agent/graph'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { toolsOf } from '@agent-task-service/test-support/own-tools'
import { type Studio, startStudio } from '@agent-task-service/test-support/studio'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

interface Message {
  readonly id: string
  readonly type: string
  readonly content: unknown
  readonly status?: string
  readonly tool_calls?: readonly unknown[]
  readonly usage_metadata?: { readonly input_tokens: number; readonly output_tokens: number }
}

let studio: Studio
let client: Client

beforeAll(async () => {
  // A step limit that one run in a thread stays within, and two together would not.
  studio = await startStudio({ MAX_STEPS: '5' }, { agent: resolve('test/studio/test-agent.ts:agent') })
  client = new Client({ apiUrl: studio.url, callerOptions: { maxRetries: 0 } })
}, 300_000)

afterAll(async () => {
  await studio?.stop()
}, 60_000)

test('it starts without a warning about what nobody has set', () => {
  expect(studio.output()).not.toMatch(/PORT|not up to date/)
})

const ask = (content: unknown) => ({ messages: [{ role: 'user', content }] })

/** The messages of a run, in a thread or without one. */
async function run(thread: string | null, input: unknown, payload: object = {}): Promise<Message[]> {
  const options = { input: input as Record<string, unknown>, ...payload }
  const values = await (thread === null
    ? client.runs.wait(null, 'agent', options)
    : client.runs.wait(thread, 'agent', options))
  return (values as { messages: Message[] }).messages
}

async function newThread(): Promise<string> {
  return (await client.threads.create()).thread_id
}

const texts = (messages: readonly Message[]) => messages.map(({ content }) => content)

// EVIDENCE-OF README.md: Around it are a workshop (the graph in LangGraph Studio, tools as small files, evaluation, recordings)
//   and a rehearsal of the marketplace: its staging route, health monitor, dashboard and acceptance checks.
test('the assistant has its graph: named nodes and the edges between them', async () => {
  const [assistant] = await client.assistants.search({ graphId: 'agent' })
  const { nodes, edges } = await client.assistants.getGraph(assistant!.assistant_id)
  const names = nodes.map(({ id }) => id)
  expect(names.at(0)).toBe('__start__')
  expect(names.at(-1)).toBe('__end__')
  for (const name of names) expect(edges.flatMap(({ source, target }) => [source, target])).toContain(name)
})

// EVIDENCE-OF docs/guides/tools.md: Nothing else has to change: the tool is offered to the model, counted, selectable in
//   `config.enabled_tools`, and listed in LangGraph Studio.
test("the schemas: messages in and out, and a run's settings as a form", async () => {
  const [assistant] = await client.assistants.search({ graphId: 'agent' })
  const schemas = await client.assistants.getSchemas(assistant!.assistant_id)
  const messages = expect.objectContaining({ langgraph_type: 'messages' })
  expect(schemas.input_schema?.properties).toEqual({ messages })
  expect(schemas.output_schema?.properties).toEqual({ messages, structuredResponse: expect.anything() })
  expect(Object.keys(schemas.state_schema?.properties ?? {})).toEqual(Object.keys(TestState.fields))
  expect(schemas.context_schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: {
      system_prompt: {
        type: 'string',
        default: agent.systemPrompt,
        langgraph_type: 'prompt',
        langgraph_nodes: ['plan', 'respond'],
        description: expect.stringContaining('system prompt'),
      },
      max_tokens: { type: 'integer', minimum: 1, description: expect.stringContaining('tokens') },
      enabled_tools: {
        type: 'array',
        items: { enum: toolsOf(agent) },
        description: expect.stringContaining('tools'),
      },
    },
  })
  expect(schemas.context_schema?.required).toBeUndefined()
})

// EVIDENCE-OF docs/reference/graph-rules.md: Each run of a thread has the same budget and deadline as over HTTP, counted from
//   its own start.
test('a thread with two runs: each answers the newest question, with its own budget', async () => {
  const thread = await newThread()
  // As Studio's chat sends it.
  const first = await run(thread, ask([{ type: 'text', text: 'What is 15% of 240?' }]))
  expect(first.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai'])
  expect(first.at(-1)?.content).toBe('15% of 240 = 36')
  const second = await run(thread, ask('How much is 12 * 12?'))
  expect(texts(second.slice(4))).toEqual(['How much is 12 * 12?', '', '12 * 12 = 144', '12 * 12 = 144'])
  const state = await client.threads.getState(thread)
  // Untracked keys are not kept.
  expect(state.values).toHaveProperty('messages')
  expect(state.values).not.toHaveProperty('wrapUp')
  expect(state.next).toEqual([])
  expect(new Set(second.map(({ id }) => id)).size).toBe(8)
})

test('streams a run in each mode that Studio uses', async () => {
  const streamMode = ['values', 'updates', 'messages-tuple', 'debug', 'custom', 'events'] as const
  const seen = new Map<string, unknown[]>()
  const thread = await newThread()
  const stream = client.runs.stream(thread, 'agent', {
    input: ask('What is 2 + 3?'),
    streamMode: [...streamMode],
  })
  for await (const { event, data } of stream) seen.set(event, [...(seen.get(event) ?? []), data])
  expect([...seen.keys()].sort()).toEqual(['debug', 'events', 'messages', 'metadata', 'updates', 'values'])

  expect(seen.get('updates')!.length).toBeGreaterThan(2)
  const sizes = seen.get('values')!.map(values => (values as { messages: unknown[] }).messages.length)
  expect([...new Set(sizes)]).toEqual([1, 2, 3, 4])
  const pieces = (seen.get('messages') as [Message][])
    .filter(([{ type }]) => type === 'ai')
    .map(([{ content }]) => content)
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.join('')).toBe('2 + 3 = 5')
  const kinds = new Set(seen.get('debug')!.map(data => (data as { type: string }).type))
  expect([...kinds].sort()).toEqual(['checkpoint', 'task', 'task_result'])
  expect(seen.get('events')!.map(data => (data as { event: string }).event)).toContain('on_tool_end')
  // The run's usage is not stored.
  expect(JSON.stringify([...seen.get('debug')!, await client.threads.getState(thread)])).not.toMatch(
    /account|meter/,
  )
})

test('a failed run says why, and the thread continues from there', async () => {
  const thread = await newThread()
  const events: { event: string; data: unknown }[] = []
  for await (const { event, data } of client.runs.stream(thread, 'agent', { input: ask('Write a poem.') }))
    events.push({ event, data })
  expect(events.at(-1)).toEqual({
    event: 'error',
    data: { error: 'RunFailure', message: expect.stringContaining('the offline model can only') },
  })
  expect((await client.threads.get(thread)).status).toBe('error')
  const messages = await run(thread, ask('What is 2 + 3?'))
  expect(messages.at(-1)?.content).toBe('2 + 3 = 5')
})

test("Studio and this machine's front ends may read it, other sites may not", async () => {
  const allowed = async (origin: string) => {
    const { headers } = await fetch(`${studio.url}/ok`, { headers: { origin } })
    return headers.get('access-control-allow-origin')
  }
  for (const origin of [
    'https://smith.langchain.com',
    'https://eu.smith.langchain.com',
    'http://localhost:3000',
  ])
    expect(await allowed(origin)).toBe(origin)
  for (const origin of ['https://example.com', 'https://smith.langchain.com.example.com'])
    expect(await allowed(origin)).toBeNull()
})

test('it exits on SIGTERM with everything it started, and leaves nothing in git', async () => {
  // Signal 0 only tests whether a process of the group exists.
  const group = () => process.kill(-studio.child.pid!, 0)
  expect(group()).toBe(true)
  expect(await studio.stop()).toBe(0)
  await vi.waitFor(() => expect(group).toThrow('ESRCH'))
  // The server adds a line to a .gitignore that lacks it.
  expect(readFileSync('.gitignore', 'utf8')).toContain('.langgraph_api')
})
