import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json as readJson } from 'node:stream/consumers'
import { createParser } from 'eventsource-parser'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runEvents, type StreamEvent, type StreamEventType } from '../../src/wire/run-events.ts'
import { copyProject, followGuide, type GuideBlock, readGuide } from '../support/guide.ts'
import { says, streams } from '../support/openai-replies.ts'
import { openAIServer } from '../support/openai-server.ts'
import { type ModelRequest, ScriptedModel } from '../support/scripted-model.ts'

const page = readFileSync(new URL('../../docs/graph.md', import.meta.url), 'utf8')
/** Node itself loads a copy, as `npm run dev` does. */
const load = createRequire(import.meta.url)
const sections = Map.groupBy(await readGuide('graph.md'), ({ section }) => section)
const tried = new Set<string>()
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'graph-guide-'))
})
afterAll(() => rm(root, { recursive: true }))

interface Example {
  /** Changes a block before it is written. */
  readonly adapt?: (code: string) => string
  readonly env?: Record<string, string>
  /** Replaces the models of the copy; `undefined`: the models are called. */
  readonly model?: ScriptedModel | undefined
}

/** The agent of a project copy in which one section has been followed. */
async function agentAfter(section: string, example: Example = {}) {
  const {
    adapt = (code: string) => code,
    env = {},
    model,
  } = { model: new ScriptedModel(obedient), ...example }
  tried.add(section)
  const folder = await mkdtemp(join(root, 'copy-'))
  await copyProject(folder, ['src', 'graph', 'tools', 'package.json'])
  const blocks = sections.get(section) ?? []
  const adapted = blocks.map((block): GuideBlock => ({ ...block, code: adapt(block.code) }))
  await followGuide(adapted, folder)
  const models = model && [model.named()]
  const lines: Record<string, unknown>[] = []
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const { readConfig } = load(join(folder, 'src/config.ts')) as typeof import('../../src/config.ts')
  const made = load(join(folder, 'src/service.ts')) as typeof import('../../src/service.ts')
  const config = readConfig(env)
  const service = await made.createService(config, { sink, models })
  onTestFinished(() => service.close())
  const run = async (input: string, settings: object = {}) => {
    const response = await service.app.request('/run', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ task_id: 'test-1', input, config: settings }),
    })
    const events = eventsIn(await response.text())
    const last = events.at(-1)
    if (last?.type !== 'run_finished') throw new Error(`expected run_finished last, got ${last?.type}`)
    const custom = events.flatMap(({ type, data }) => (type === 'custom' ? [data.data] : []))
    return { ...last.data.response, custom, line: lines.findLast(({ msg }) => msg === 'run') }
  }
  /** The bare graph, as Studio invokes it. */
  const invoke = async (input: string, options: object) => {
    const { createGraph } = load(join(folder, 'graph/graph.ts')) as typeof import('../../graph/graph.ts')
    const parts = await made.createParts(config, service.log, { models })
    const { messages } = await createGraph(parts).invoke(
      { messages: [{ role: 'user', content: input }] },
      options,
    )
    return messages.at(-1)?.text
  }
  return { run, invoke, requests: model?.requests ?? [] }
}

/** `Use <tool> with <JSON>` calls the tool and returns its result; anything else is echoed. */
function obedient({ messages, tools }: ModelRequest) {
  const { type, text } = messages.at(-1)!
  const [, name = '', args = ''] = /^Use (\S+) with (.*)$/.exec(text) ?? []
  if (tools.includes(name)) return { toolCalls: [{ name, args: JSON.parse(args) as object }] }
  return type === 'tool' ? text : `You said: ${text}`
}

function eventsIn(text: string): StreamEvent[] {
  const events: StreamEvent[] = []
  const onEvent = ({ event = '', data }: { event?: string | undefined; data: string }) => {
    const type = event as StreamEventType
    events.push({ type, data: runEvents[type].parse(JSON.parse(data)) } as StreamEvent)
  }
  createParser({ onEvent }).feed(text)
  return events
}

/** A server on 127.0.0.1 that stops with the test. */
async function serverThat(answers: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answers).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const text = (messages: ModelRequest['messages'] = []) => messages.map(message => message.text).join('\n')

test('A node', async () => {
  const { run, requests } = await agentAfter('A node')
  expect(await run('Write to ann@example.org today')).toMatchObject({
    output: 'You said: Write to [e-mail] today',
  })
  expect(text(requests[0]?.messages)).not.toContain('ann@')
})

test('A state key', async () => {
  const { run } = await agentAfter('A state key')
  expect(await run('Say it in 3 words please')).toMatchObject({ output: 'You said: Say' })
  expect(await run('Say it')).toMatchObject({ output: 'You said: Say it' })
})

test('A key that several nodes write', async () => {
  const { run } = await agentAfter('A key that several nodes write')
  expect(await run('Why?')).toMatchObject({
    output: 'You said: Why?\n4 characters were asked.\nIt was a question.',
  })
})

const ways = [...page.matchAll(/^await (model\.invoke\(question.*)$/gm)].map(([, way = '']) => way)

test.each(ways)('A model call: %s', async way => {
  const adapt = (code: string) => code.replace('model.invoke(question, config)', way)
  const { run } = await agentAfter('A model call', { adapt, env: { MAX_STEPS: '5' } })
  const output = 'You said: Translate into English: You said: Hallo'
  expect(await run('Hallo')).toMatchObject({ output, metrics: { steps: 2 } })
  expect(await run('Hallo', { max_tokens: 3 })).toMatchObject({
    error: 'the cap of 3 generated tokens (max_tokens) was used up before there was an answer',
  })
})

test("A node's own model", async () => {
  const { env, requests } = await openAIServer(({ body }) => {
    return body.stream ? streams(['No', 'body knows'], 'stop') : says('Nobody knows')
  })
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { run } = await agentAfter("A node's own model")
  expect(await run('Why?', { max_tokens: 80 })).toMatchObject({
    output: 'You said: Why?\n\nAnother model says: Nobody knows',
    metrics: { steps: 2 },
  })
  expect(requests[0]?.body).not.toHaveProperty('max_tokens')
  expect(await run('Why?', { max_tokens: 1 })).toMatchObject({ status: 'error' })
  expect(requests).toHaveLength(1)

  const adapt = (code: string) =>
    code.replace('[task], config)', '[task], { callbacks: [{ handleLLMEnd() {} }] })')
  const uncounted = await agentAfter("A node's own model", { adapt })
  expect(await uncounted.run('Why?')).toMatchObject({ metrics: { steps: 1 } })
})

test('A condition', async () => {
  const { run, requests } = await agentAfter('A condition')
  expect(await run('My password is 4711')).toMatchObject({
    output: 'I take no passwords.',
    metrics: { steps: 0 },
  })
  expect(await run('Hello')).toMatchObject({ output: 'You said: Hello' })
  expect(requests).toHaveLength(1)
})

test('A subgraph', async () => {
  const { run } = await agentAfter('A subgraph')
  expect(await run('Hello')).toMatchObject({
    output: 'You said: Mend You said: Hello by You said: Find faults: You said: Hello',
    metrics: { steps: 3 },
  })
})

test('A prebuilt agent', async () => {
  const { run, requests } = await agentAfter('A prebuilt agent', { env: { MAX_STEPS: '4' } })
  const sum = 'Use calculator with {"expression":"2+3"}'
  expect(await run(sum, { system_prompt: 'Be brief.' })).toMatchObject({
    output: '2 + 3 = 5',
    metrics: { steps: 3 },
  })
  expect(text(requests[0]?.messages)).toContain('Be brief.')
  expect(await run(sum, { enabled_tools: [] })).toMatchObject({ output: `You said: ${sum}` })
})

test('Send', async () => {
  const { run } = await agentAfter('Send', { env: { MAX_STEPS: '3' } })
  expect(await run('one\ntwo\nthree')).toMatchObject({
    output: 'You said: one\nYou said: two\nYou said: three',
    metrics: { steps: 3 },
  })
  expect(await run('1\n2\n3\n4')).toMatchObject({
    error: 'the limit of 3 steps was used up before there was an answer',
  })
})

test('A custom event', async () => {
  const { run } = await agentAfter('A custom event')
  expect(await run('Hello')).toMatchObject({
    output: 'You said: Hello',
    custom: [{ phase: 'reading', characters: 5 }],
  })
})

test('ToolNode', async () => {
  const { run } = await agentAfter('ToolNode')
  const sum = 'Use calculator with {"expression":"2+3"}'
  expect(await run(sum)).toMatchObject({ output: '2 + 3 = 5', metrics: { steps: 3 } })
  const unfit = 'Use calculator with {"expression":7}'
  expect(await run(unfit)).toMatchObject({ output: expect.stringMatching(/^Error/), metrics: { steps: 2 } })
})

test("Another provider's chat class", async () => {
  const bodies: { model: string; max_tokens: number }[] = []
  const url = await serverThat(async (request, response) => {
    bodies.push((await readJson(request)) as (typeof bodies)[number])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 9 },
    }
    const events = [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good day' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]
    response.end(events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
  })
  vi.stubEnv('ANTHROPIC_BASE_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const env = { OPENAI_API_KEY: 'sk-ant-1234567890', MODEL: 'claude-sonnet-4-5' }
  const { run } = await agentAfter("Another provider's chat class", { env, model: undefined })
  expect(await run('Hello', { max_tokens: 50 })).toMatchObject({
    output: 'Good day',
    metrics: { steps: 1, input_tokens: 9, output_tokens: 2 },
    line: { stop: 'max_tokens', model: 'claude-sonnet-4-5' },
  })
  expect(bodies).toMatchObject([{ model: 'claude-sonnet-4-5', max_tokens: 50 }])
})

test('A LangChain tool', async () => {
  const url = await serverThat(({ url = '' }, response) => {
    const pages = { 1: { title: 'Oslo', extract: 'The capital of Norway.' } }
    const query = url.includes('list=search') ? { search: [{ title: 'Oslo' }] } : { pages }
    response.end(JSON.stringify({ query }))
  })
  const adapt = (code: string) => code.replace('https://en.wikipedia.org', url)
  const { run } = await agentAfter('A LangChain tool', { adapt })
  expect(await run('Use upper with {"text":"abc"}')).toMatchObject({ output: 'ABC' })
  expect(await run('Use reverse with {"text":"abc"}')).toMatchObject({ output: 'cba' })
  expect(await run('Use reverse with {"text":7}')).toMatchObject({
    output: expect.stringContaining('do not fit'),
  })
  expect(await run('Use repeat with {"text":"abc","times":2}')).toMatchObject({ output: 'abcabc' })
  expect(await run('Use wikipedia-api with {"input":"Oslo"}')).toMatchObject({
    output: expect.stringContaining('The capital of Norway.'),
  })
})

test('Settings of a run', async () => {
  const { run, invoke, requests } = await agentAfter('Settings of a run')
  await run('Hello', { system_prompt: 'Be brief.', audience: 'children' })
  expect(text(requests[0]?.messages)).toContain('Be brief. Write for children.')
  await invoke('Hello', { context: { audience: 'children' } })
  expect(text(requests[1]?.messages)).toContain('Write for children.')
  await expect(invoke('Hello', { configurable: { max_tokens: 5 } })).rejects.toThrow('max_tokens in context')
})

test('What the model reads', async () => {
  const toolCalls = Array.from({ length: 4 }, (_, n) => ({
    name: 'calculator',
    args: { expression: `${n}+1` },
  }))
  const model = new ScriptedModel([{ toolCalls }, 'done'])
  const { run, requests } = await agentAfter('What the model reads', { model })
  expect(await run('Add up')).toMatchObject({ output: 'done' })
  const results = requests[1]?.messages.filter(({ type }) => type === 'tool')
  expect(results?.map(result => result.text)).toEqual(['[left out]', '1 + 1 = 2', '2 + 1 = 3', '3 + 1 = 4'])
})

test('A question to a person', async () => {
  const { run } = await agentAfter('A question to a person')
  const { error, line } = (await run('Hello')) as { error?: string; line?: object }
  expect(page.replaceAll('\n', ' ')).toContain(`\`${error}\``)
  expect(line).toMatchObject({ stop: 'not_over_http' })
})

test('every section with code has a test', () => {
  expect(tried).toEqual(new Set(sections.keys()))
})
