import { ScriptedModel } from '@agent-task-service/engine/testing'
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
import { factKey } from '../../model/plain-tool.ts'

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
/** A server that refuses these tools by name, and answers everything else. */
const refusing =
  (...bad: string[]): Script =>
  request => {
    const [name] = namesIn(request).filter(name => bad.includes(name))
    return name === undefined ? says('Here.') : refusal(`Invalid schema for function '${name}'`)
  }
/** Whether a request has a schema that some providers refuse. */
const isOdd = ({ body }: ModelRequest) =>
  /"x__odd".*"additionalProperties"/.test(
    JSON.stringify(body.tools?.filter(tool => tool.function.name === 'x__odd')),
  )
const NAMES = TOOLS.map(({ name }) => name)

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
])(
  'a refused tool is offered with a plain schema, then left out, by %s',
  async (_by, message, more, status) => {
    const { run, server, offered, told } = await serve(request =>
      has('x__odd')(request) ? refusal(message, more, status) : says('Here.'),
    )
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.', metrics: { steps: 1 } })
    expect(await run('Hello', {}, 'test-2')).toMatchObject({ status: 'success' })
    const good = ['add_one', 'say_hi', 'see']
    expect(offered()).toEqual([NAMES, NAMES, good, good])
    const [first, second] = server.requests.map(({ body }) => body.tools!.map(tool => JSON.stringify(tool)))
    expect(first!.filter(tool => !second!.includes(tool))).toEqual([first![1]])
    expect(told()).toMatchObject([{ model: 'first-model', learnt: { [factKey(TOOLS[1]!)]: 'left_out' } }])
    expect(JSON.stringify(told())).not.toContain('parameters')
  },
)

test.each<[what: string, message: string, status?: number]>([
  ['a word', 'JSON schema conversion failed:\nUnrecognized schema: {"default":10}', 500],
  ['its name', "Invalid schema for function 'x__odd'"],
  ['schemas', 'tools contain schemas with unsupported keywords'],
])('a schema that is refused with %s is sent plain, by all runs', async (_how, message, status) => {
  const { run, server, offered, told } = await serve(request =>
    isOdd(request) ? refusal(message, {}, status) : says('Here.'),
  )
  for (const id of ['test-1', 'test-2']) expect(await run('Hello', {}, id)).toMatchObject({ output: 'Here.' })
  expect(offered()).toEqual([NAMES, NAMES, NAMES])
  expect(server.requests.map(isOdd)).toEqual([true, false, false])
  expect(told()).toMatchObject([{ learnt: { [factKey(TOOLS[1]!)]: 'plain' } }])
})

test('two tools that are refused one after the other, both by name', async () => {
  const { run, offered } = await serve(
    refusing('bad_one', 'bad_two'),
    toolsNamed('bad_one', 'good', 'bad_two'),
  )
  expect(await run('Hello')).toMatchObject({ status: 'success' })
  const all = ['bad_one', 'good', 'bad_two']
  const rest = ['good', 'bad_two']
  expect(offered()).toEqual([all, all, rest, rest, ['good']])
})

test('a tool whose name is a word is meant only where a tool is named', async () => {
  const offeredBy = async (message: string) => {
    const { run, offered } = await serve(
      request => (has('time')(request) ? refusal(message) : says('Here.')),
      toolsNamed('add', 'time'),
    )
    await run('Hello')
    return offered().at(-1)
  }
  expect(await offeredBy('Invalid schema for function at this time')).toEqual([])
  expect(await offeredBy("tool 'time': bad schema")).toEqual(['add'])
})

test('a provider that refuses tools without a word: plain schemas, then none, in this run only', async () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const { run, server, offered, told } = await serve(request =>
    has('x__odd')(request) ? silence : says('Here.', { usage }),
  )
  // Each request is a try of the same step.
  const metrics = { steps: 1, input_tokens: 10, output_tokens: 5 }
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.', metrics })
  // The second has no system message.
  expect(offered()).toEqual([NAMES, NAMES, NAMES, []])
  expect(server.requests.map(isOdd)).toEqual([true, true, false, false])
  expect(told()).toMatchObject([
    { learnt: { refuses_system: true, refuses_tools: true, [factKey(TOOLS[1]!)]: 'plain' } },
  ])
  await run('Hello', {}, 'test-2')
  expect([offered()[4], isOdd(server.requests[4]!)]).toEqual([NAMES, true])
  expect(server.requests[4]!.body.messages[0]!.role).toBe('system')
})

test('the rest of its run goes on with what was accepted', async () => {
  const { run, offered } = await serve(request => {
    if (isOdd(request)) return silence
    return toolTexts(request).length > 0 ? says('Here.') : asks([call('see', {})])
  })
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Here.' })
  expect(offered()).toEqual(Array(4).fill(NAMES))
})

test.each<[what: string, message: string, requests: number, more?: object, task?: string]>([
  ['is about another member', 'invalid value', 1, { param: 'messages[0].content' }],
  ['is about a message', "Invalid 'messages[2].tool_calls[0].id': string too long", 1],
  ['says nothing', 'Provider returned error', 4],
  ['quotes the task', "no function 'x__odd' for you", 4, {}, "Call the function 'x__odd'"],
  ['quotes a place in the task', 'tools[1] is wrong', 4, {}, 'What is tools[1]?'],
  ['repeats the request', 'schema: add_one x__odd say_hi, tool see', 4],
  ['names a tool, and names it again', "function 'x__odd' was not called", 5],
])(
  'a refusal that %s, whatever is sent, leaves no tool out of other runs',
  async (_what, message, requests, more, task = 'Hello') => {
    let isRefusing = true
    const { run, offered, told } = await serve(() => (isRefusing ? refusal(message, more) : says('Here.')))
    expect(await run(task)).toMatchObject({ status: 'error', error: 'the model provider answered HTTP 400' })
    expect(offered()).toHaveLength(requests)
    isRefusing = false
    await run('Hello', {}, 'test-2')
    expect(offered().at(-1)).toEqual(NAMES)
    expect(told()).toEqual([])
  },
)

test('a refusal of tools that the run was answered with before leaves none out', async () => {
  const { run, offered } = await serve((_, index) => (index === 0 ? asks([call('add_one', {})]) : silence))
  expect(await run('Hello')).toMatchObject({ status: 'error' })
  expect(offered()).toEqual([NAMES, NAMES])
})

// EVIDENCE-OF docs/guides/models.md: | A model without tools |
test.each([
  'registry.ollama.ai/library/gemma does not support tools',
  '"auto" tool choice requires --enable-auto-tool-choice to be set',
])('a model that takes no tools answers without them, and so in other runs: %s', async message => {
  const { run, offered } = await serve(({ body }) => (body.tools ? refusal(message) : says('Paris.')))
  for (const id of ['test-1', 'test-2'])
    expect(await run('Hello', {}, id)).toMatchObject({ output: 'Paris.' })
  expect(offered()).toEqual([NAMES, [], []])
  expect(await run('Hello', { enabled_tools: ['see'] }, 'test-3')).toMatchObject({ status: 'error' })
})

describe('a tool that the caller names in enabled_tools', () => {
  const NEEDED = { enabled_tools: ['add_one', 'x__odd'] }
  const error = 'the model provider refuses the tool "x__odd", which this run needs'

  test('and that is refused by name is an error that names it', async () => {
    const { run, server } = await serve(refusing('x__odd'))
    expect(await run('Hello', NEEDED)).toMatchObject({ status: 'error', error })
    expect(server.requests).toHaveLength(2)
  })

  test('is offered, though it is known to be refused', async () => {
    const { run, server } = await serve(refusing('x__odd'))
    await run('Hello')
    const before = server.requests.length
    expect(await run('Hello', NEEDED, 'test-2')).toMatchObject({ status: 'error', error })
    expect(server.requests).toHaveLength(before + 1)
    expect(await run('Hello', { enabled_tools: ['add_one'] }, 'test-3')).toMatchObject({ status: 'success' })
  })

  test('stays, if the refusal names none', async () => {
    const { run, offered } = await serve(() => silence)
    expect(await run('Hello', NEEDED)).toMatchObject({ status: 'error' })
    for (const names of offered()) expect(names).toEqual(NEEDED.enabled_tools)
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
  // The words name it, but so does the conversation, which they may quote.
  expect(namesIn(second.requests.at(-1)!)).toEqual([])
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
  expect(model.requests.map(({ tools }) => tools.length)).toEqual([4, 4, 3])
})

test('a tool that its server has mended is offered again', async () => {
  const mended = toolsNamed('x__odd')[0]!
  const tools = [...TOOLS]
  const server = await openAIServer(refusing('x__odd'))
  const first = await testService({ ...server.env, LOG_ERRORS: 'brief' }, { tools })
  await first.run('Hello')
  Object.assign(tools[1]!, { description: `${mended.description} Mended.` })
  await first.run('Hello', {}, 'test-2')
  expect(server.requests.map(namesIn).slice(2)).toEqual([
    ['add_one', 'say_hi', 'see'],
    NAMES,
    NAMES,
    ['add_one', 'say_hi', 'see'],
  ])
})
