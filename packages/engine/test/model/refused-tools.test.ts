import { ScriptedModel } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { asks, call, json, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import {
  fallbackTo,
  type ModelRequest,
  openAIServer,
  type Script,
} from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { modelOf, testService } from '@agent-task-service/test-support/service'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const toolsNamed = (...names: string[]) => names.map(name => tool(name, () => `${name} ran`))
const TOOLS = toolsNamed('add_one', 'x__odd', 'say_hi', 'see')
const namesIn = ({ body }: ModelRequest) =>
  body.tools?.map(tool => tool.function?.name ?? (tool as never as { name: string }).name) ?? []
const has =
  (...bad: string[]) =>
  (request: ModelRequest) =>
    namesIn(request).some(name => bad.includes(name))
const refusal = (message: string, more: object = {}, status = 400) =>
  json({ error: { message, ...more } }, status)
const silence = refusal('Provider returned error')
/** A server that refuses these tools without a word, and answers everything else. */
const refusing =
  (...bad: string[]): Script =>
  request =>
    has(...bad)(request) ? silence : says('Here.')

async function serve(script: Script, tools = TOOLS, env: Record<string, string> = {}) {
  const server = await openAIServer(script)
  const service = await testService({ ...server.env, LOG_ERRORS: 'brief', ...env }, { tools })
  const told = () => service.lines.filter(({ msg }) => msg === 'learnt from a refusal')
  const offered = () => server.requests.map(namesIn)
  return { ...service, server, told, offered }
}

test.each<[what: string, message: string, more?: object, status?: number]>([
  [
    'its name',
    "Invalid schema for function 'x__odd': In context=('properties', 'a'), schema must have a 'type' key.",
  ],
  ['its name, of a validator', 'invalid JSON schema for tool x__odd, `/properties/a`: nullable'],
  ['its name, of Vertex', 'Unable to submit request because `x__odd` functionDeclaration has no type'],
  ['its number', 'tools[1].function.parameters: unsupported keyword'],
  [
    'its number, of Anthropic',
    'tools.1.custom.input_schema: JSON schema is invalid. It must match draft 2020-12',
  ],
  [
    'its number, of Google',
    `Invalid JSON payload received. Unknown name "$ref" at 'tools[0].function_declarations[1].parameters': Cannot find field.`,
  ],
  ['its number, of functions', 'functions[1] is malformed'],
  ['its number, beside the message', 'Invalid schema.', { param: 'tools[1].function.parameters' }],
  ['its number, of a path', 'body -> tools -> 1 -> function -> parameters: wrong', {}, 422],
  ['its number, of a list', '[{"loc":["body","tools",1,"function"],"msg":"wrong"}]', {}, 422],
])('a refused tool is left out by %s', async (_by, message, more, status) => {
  const { run, offered, told } = await serve(request =>
    has('x__odd')(request) ? refusal(message, more, status) : says('Here.'),
  )
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.', metrics: { steps: 1 } })
  expect(await run('Hello', {}, 'test-2')).toMatchObject({ status: 'success' })
  const good = ['add_one', 'say_hi', 'see']
  expect(offered()).toEqual([TOOLS.map(({ name }) => name), good, good])
  expect(told()).toMatchObject([{ model: 'first-model', learnt: { refusedTools: ['x__odd'] } }])
  expect(JSON.stringify(told())).not.toContain('parameters')
})

test('a refused tool is left out if llama.cpp cannot read its schema, which it tells with HTTP 500', async () => {
  const message = 'JSON schema conversion failed:\nUnrecognized schema: {"default":10}'
  const { run, offered } = await serve(request =>
    has('x__odd')(request) ? refusal(message, { code: 500, type: 'server_error' }, 500) : says('Here.'),
  )
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.', metrics: { steps: 1 } })
  expect(offered().at(-1)).not.toContain('x__odd')
})

test('two tools that are refused one after the other, both by name', async () => {
  const { run, offered } = await serve(
    request => {
      const bad = namesIn(request).find(name => name.startsWith('bad'))
      return bad ? refusal(`Invalid schema for function '${bad}'`) : says('Here.')
    },
    toolsNamed('bad_one', 'good', 'bad_two'),
  )
  expect(await run('Hello')).toMatchObject({ status: 'success' })
  expect(offered()).toEqual([['bad_one', 'good', 'bad_two'], ['good', 'bad_two'], ['good']])
})

test('a tool whose name is a word is meant only where a tool is named', async () => {
  const wording = { message: 'Invalid schema for function at this time' }
  const { run, offered } = await serve(
    request => (has('time')(request) ? refusal(wording.message) : says('Here.')),
    toolsNamed('add', 'time'),
  )
  await run('Hello')
  // It took a search.
  expect(offered()).toEqual([['add', 'time'], [], ['add']])
  wording.message = "tool 'time': bad schema"
  const named = await serve(
    request => (has('time')(request) ? refusal(wording.message) : says('Here.')),
    toolsNamed('add', 'time'),
  )
  await named.run('Hello')
  expect(named.offered()).toEqual([['add', 'time'], ['add']])
})

describe('a provider that refuses a tool without a word', () => {
  const NAMES = Array.from({ length: 64 }, (_, at) => `tool_${at}`)

  test.each(some([0, 1, 31, 32, 47, 63], 6))('of 64 tools, number %i costs eight requests', async bad => {
    const { run, server, told, offered } = await serve(refusing(`tool_${bad}`), toolsNamed(...NAMES))
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.', metrics: { steps: 1 } })
    expect(server.requests).toHaveLength(8)
    expect(told()).toMatchObject([{ learnt: { refusedTools: [`tool_${bad}`] } }])
    await run('Hello', {}, 'test-2')
    expect(offered().slice(8)).toEqual([NAMES.filter(name => name !== `tool_${bad}`)])
  })

  test('the tool with the oddest schema is suspected most, and no other is missed', async () => {
    const odd = Object.assign(
      tool('odd', () => ''),
      { schema: z.object({ a: z.union([z.string(), z.null()]) }) },
    )
    const { run, offered } = await serve(refusing('odd'), [odd, ...toolsNamed('a', 'b', 'c')])
    await run('Hello')
    expect(offered()).toEqual([['odd', 'a', 'b', 'c'], [], ['a', 'b'], ['a', 'b', 'c']])
  })

  test('of two bad tools each run finds one, and leaves out what nobody has accepted', async () => {
    const names = NAMES.slice(0, 8)
    const { run, offered, told } = await serve(refusing('tool_2', 'tool_6'), toolsNamed(...names))
    for (const id of ['test-1', 'test-2', 'test-3'])
      expect(await run('Hello', {}, id)).toMatchObject({ status: 'success' })
    expect(told()).toMatchObject([
      { learnt: { refusedTools: ['tool_2'] } },
      { learnt: { refusedTools: ['tool_6'] } },
    ])
    expect(offered().at(-1)).toEqual(names.filter(name => !['tool_2', 'tool_6'].includes(name)))
    expect(offered()).toHaveLength(5 + 5 + 1)
  })

  test('the rest of its run goes on with what was accepted', async () => {
    let asked = false
    const script: Script = request => {
      if (has('tool_2', 'tool_3')(request)) return silence
      if (asked || !has('tool_1')(request)) return says('Here.')
      asked = true
      return asks([call('tool_1', {})])
    }
    const { run, offered, server } = await serve(script, toolsNamed(...NAMES.slice(0, 4)))
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
    const accepted = ['tool_0', 'tool_1']
    expect(offered().slice(2)).toEqual([accepted, [...accepted, 'tool_2'], accepted])
    expect(toolTexts(server.requests.at(-1)!)).toEqual(['tool_1 ran'])
  })

  test('counts each request as a try of the same step', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
    const script: Script = request => (has('x__odd')(request) ? silence : says('Here.', { usage }))
    const { run, server } = await serve(script)
    const { metrics } = await run('Hello')
    expect(metrics).toMatchObject({ steps: 1, input_tokens: 20, output_tokens: 10 })
    expect(server.requests).toHaveLength(4)
  })
})

test.each<[what: string, message: string, requests: number, more?: object, task?: string]>([
  ['says nothing', 'Provider returned error', 2],
  ['quotes the task', "no function 'x__odd' for you", 2, {}, "Call the function 'x__odd'"],
  ['quotes a place in the task', 'tools[1] is wrong', 2, {}, 'What is tools[1]?'],
  ['names a tool, and names it again', "function 'x__odd' was not called", 2],
  ['repeats the request', 'schema: add_one x__odd say_hi, tool see', 2],
  ['is about another member', 'invalid value', 1, { param: 'messages[0].content' }],
  ['is about a message', "Invalid 'messages[2].tool_calls[0].id': string too long", 1],
  ['takes no tools', 'registry.ollama.ai/library/gemma does not support tools', 1],
  ['takes no tools, of vLLM', '"auto" tool choice requires --enable-auto-tool-choice to be set', 1],
])('a refusal that %s leaves no tool out', async (_what, message, requests, more, task = 'Hello') => {
  let isRefusing = true
  const { run, offered, told } = await serve(() => (isRefusing ? refusal(message, more) : says('Here.')))
  expect(await run(task)).toMatchObject({ status: 'error', error: 'the model provider answered HTTP 400' })
  expect(offered()).toHaveLength(requests)
  isRefusing = false
  await run('Hello', {}, 'test-2')
  expect(offered().at(-1)).toEqual(TOOLS.map(({ name }) => name))
  expect(told()).toEqual([])
})

test('a refusal of tools that the run was answered with before leaves none out', async () => {
  const { run, offered } = await serve((_, index) => (index === 0 ? asks([call('add_one', {})]) : silence))
  expect(await run('Hello')).toMatchObject({ status: 'error' })
  expect(offered()).toHaveLength(2)
})

describe('a tool that the caller names in enabled_tools', () => {
  const NEEDED = { enabled_tools: ['add_one', 'x__odd'] }
  const error = 'the model provider refuses the tool "x__odd", which this run needs'

  test.each<[what: string, Script, requests: number]>([
    ['by name', request => (has('x__odd')(request) ? refusal("tool 'x__odd'") : says('Here.')), 1],
    ['silently', refusing('x__odd'), 3],
  ])('and that is refused %s is an error that names it', async (_how, script, requests) => {
    const { run, server } = await serve(script)
    expect(await run('Hello', NEEDED)).toMatchObject({ status: 'error', error })
    expect(server.requests).toHaveLength(requests)
  })

  test('is an error without a request once it is learnt', async () => {
    const { run, server } = await serve(refusing('x__odd'))
    await run('Hello')
    const before = server.requests.length
    expect(await run('Hello', NEEDED, 'test-2')).toMatchObject({ status: 'error', error })
    expect(server.requests).toHaveLength(before)
    expect(await run('Hello', { enabled_tools: ['add_one'] }, 'test-3')).toMatchObject({ status: 'success' })
  })

  test('goes to a model that takes it', async () => {
    const second = await openAIServer(() => says('Second.'))
    const { run } = await serve(refusing('x__odd'), TOOLS, fallbackTo(second))
    expect(await run('Hello', NEEDED)).toMatchObject({ status: 'success', output: 'Second.' })
    expect(second.requests.map(namesIn)).toEqual([['add_one', 'x__odd']])
  })
})

test('the request for an answer near a limit goes on without tools if one is refused', async () => {
  const { run, server } = await serve(
    (request, index) => {
      if (index === 0) return asks([call('add_one', {}), call('x__odd', {})])
      return has('x__odd')(request) ? silence : says('Here.')
    },
    TOOLS,
    { MAX_STEPS: '4' },
  )
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  expect(server.requests).toHaveLength(3)
  expect(server.requests.map(({ body }) => body.tool_choice)).toEqual([undefined, 'none', undefined])
})

test('results of a tool that is left out stay in the conversation', async () => {
  const first = await openAIServer((_, index) =>
    index === 0 ? asks([call('x__odd', {})]) : json({ error: { message: 'revoked' } }, 401),
  )
  const second = await openAIServer(refusing('x__odd'))
  const env = { ...first.env, ...fallbackTo(second), LOG_ERRORS: 'brief' }
  const { run } = await testService(env, { tools: TOOLS })
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  for (const request of second.requests) expect(toolTexts(request)).toEqual(['x__odd ran'])
  expect(namesIn(second.requests.at(-1)!)).toEqual(['add_one'])
})

test('a form of the answer that the provider refuses as a tool is an error that names it', async () => {
  const { env } = await openAIServer(refusing('route'))
  const model = await modelOf(env)
  const router = model.withStructuredOutput(z.object({ to: z.string() }), { name: 'route' })
  await expect(router.invoke('Who?')).rejects.toThrow('refuses the tool "route"')
})

test('any chat class: an error with a status of 400', async () => {
  const model = new ScriptedModel(({ tools }) =>
    tools.includes('x__odd')
      ? Object.assign(new Error('400 tools.1.custom.input_schema: invalid'), { status: 400 })
      : 'Here.',
  )
  const { run } = await testService({ LOG_ERRORS: 'brief' }, { models: [model.named()], tools: TOOLS })
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  expect(model.requests.map(({ tools }) => tools.length)).toEqual([4, 3])
})
