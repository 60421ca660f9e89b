import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/log.ts'
import { createScrub } from '../../src/scrub.ts'
import { createWebSearch } from '../../tools/web-search.ts'
import { tool } from '../graph/sample-tools.ts'
import { type TestService, testService } from '../support/service.ts'
import { fakeSecrets, tracesOf, writingsOf } from './fake-secrets.ts'
import { answer, type HostileModel, hostileModel } from './hostile-model.ts'

/** One of every second vendor. */
const secrets = fakeSecrets.filter((_, n) => n % 6 === 0)

let model: HostileModel
/** The secret that the hostile server knows and repeats. */
let secret = ''

const JSON_TYPE = { 'content-type': 'application/json' }
const everyForm = () =>
  `${writingsOf(secret).join(' ')} ${JSON.stringify({ secret })} https://user:${secret}@host/`

function callOf(name: string, args: string): string {
  const call = { id: 'c1', type: 'function', function: { name, arguments: args } }
  return JSON.stringify({
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: everyForm(), tool_calls: [call] },
        finish_reason: 'tool_calls',
      },
    ],
  })
}

/** Asks for a tool first, then repeats everything it was told, and the secret. */
const throughTool = (name: string, args: () => string) => {
  return (
    _request: unknown,
    response: import('node:http').ServerResponse,
    { messages }: { messages: readonly { role: string }[] },
  ) => {
    const isAnswered = messages.some(({ role }) => role === 'tool')
    response
      .writeHead(200, JSON_TYPE)
      .end(isAnswered ? answer(JSON.stringify(messages) + everyForm()) : callOf(name, args()))
  }
}

beforeAll(async () => {
  model = await hostileModel({
    echo_in_401: (_request, response) => {
      response.writeHead(401, { ...JSON_TYPE, 'x-key': encodeURIComponent(secret) })
      response.end(
        JSON.stringify({ error: { message: everyForm(), code: secret, type: secret, param: secret } }),
      )
    },
    echo_in_500: (_request, response) =>
      response.writeHead(500, { 'content-type': 'text/plain', 'retry-after': '999' }).end(everyForm()),
    echo_in_answer: (_request, response) => response.writeHead(200, JSON_TYPE).end(answer(everyForm())),
    echo_in_refusal: (_request, response) => {
      const message = { role: 'assistant', content: null, refusal: everyForm() }
      response
        .writeHead(200, JSON_TYPE)
        .end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))
    },
    echo_as_model_name: (_request, response) =>
      response
        .writeHead(200, JSON_TYPE)
        .end(answer('fine').replaceAll('hostile', JSON.stringify(secret).slice(1, -1))),
    echo_as_tool: throughTool('web_search', () => '{"query":"x"}'),
    unknown_tool: throughTool('no_such_tool', () => JSON.stringify({ key: secret })),
    broken_arguments: throughTool('thrower', () => `{"key": ${secret}`),
    tool_throw: throughTool('thrower', () => '{}'),
    search_error: throughTool('web_search', () => JSON.stringify({ query: secret })),
    // The search provider's own address.
    search: (_request, response) =>
      response.writeHead(401, JSON_TYPE).end(JSON.stringify({ detail: everyForm() })),
  })
})
afterAll(async () => await model.close())

const MODES = [
  'echo_in_401',
  'echo_in_500',
  'echo_in_answer',
  'echo_in_refusal',
  'echo_as_model_name',
  'echo_as_tool',
  'unknown_tool',
  'broken_arguments',
  'tool_throw',
  'search_error',
]

test.each(secrets)('$vendor: in no reply and no log line, whoever repeats it', async ({ value }) => {
  secret = value
  const turn = secrets.findIndex(one => one.value === value)
  for (const mode of MODES.filter((_, n) => (n + turn) % 3 === 0)) {
    const service = await hostileService(mode)
    const authorization = `Bearer ${value}`
    const reply = await service.post({ task_id: 'test-1', input: 'anything' }, { authorization })
    expect(reply.status).toBe(200)
    expectNone(await reply.text(), mode)
    const wrong = await service.post(
      { task_id: 'test-1', input: 'anything' },
      { authorization: `${authorization}x` },
    )
    expect(wrong.status).toBe(401)
    expectNone(await wrong.text(), mode)
    expectNone(JSON.stringify([...wrong.headers]), mode)
    expect(service.lines.length).toBeGreaterThan(0)
    expectNone(JSON.stringify(service.lines), mode)
  }
  const open = await testService({ LOG_LEVEL: 'trace' })
  await open.post({ task_id: 'test-1', input: '1+1' }, { authorization: `Bearer ${value}` })
  expectNone(JSON.stringify(open.lines), 'a token sent to an open service')
})

test.each(secrets)('$vendor: in no line of a crash, and in no connection error', async ({ value }) => {
  secret = value
  const lines: string[] = []
  const log = createLog({ logLevel: 'trace', logErrors: 'full' }, createScrub([value]), {
    write: line => void lines.push(line),
  })
  const crash = new TypeError(`fetch failed: ${everyForm()}`, { cause: new Error(value) })
  log.fatal(
    { err: Object.assign(crash, { code: value, status: value, headers: { authorization: value } }) },
    'crashed',
  )
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'fatal', err: { name: 'TypeError' } })
  expectNone(lines.join(), 'a crash')

  const nowhere = `http://127.0.0.1:1/${encodeURIComponent(value)}/v1`
  const env = { OPENAI_API_KEY: value, OPENAI_BASE_URL: nowhere, RUN_TIMEOUT_SEC: '0.2', LOG_LEVEL: 'trace' }
  const service = await testService(env)
  const reply = await service.run('anything')
  expect(reply.status).toMatch(/error|timeout/)
  expectNone(JSON.stringify([reply, service.lines]), 'a connect error')
})

async function hostileService(mode: string): Promise<TestService> {
  const env = model.env(mode)
  const search = {
    provider: 'tavily',
    url: env.OPENAI_BASE_URL?.replace(`${mode}/v1`, 'search') ?? '',
    apiKey: secret,
  } as const
  const thrower = tool('thrower', () => {
    throw new Error(everyForm(), { cause: new Error(secret) })
  })
  const settings = {
    ...env,
    OPENAI_API_KEY: secret,
    AGENT_TOKENS: secret.replaceAll(',', ''),
    LOG_LEVEL: 'trace',
    RUN_TIMEOUT_SEC: '5',
  }
  return await testService(settings, { tools: [createWebSearch({ engines: [search] }), thrower] })
}

function expectNone(text: string, where: string): void {
  const found = tracesOf(secret).filter(trace => text.includes(trace))
  expect(found, where).toEqual([])
}
