import { createWebSearch } from '@agent-task-service/test-support/agent/tools'
import { some } from '@agent-task-service/test-support/at-length'
import { startBackend } from '@agent-task-service/test-support/backend'
import { fakeSecrets, tracesOf, writingsOf } from '@agent-task-service/test-support/fake-secrets'
import { call, completion, json, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer, type Script } from '@agent-task-service/test-support/openai-server'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import { expect, test } from 'vitest'

const secrets = some(fakeSecrets, 36)

/** The secret that the hostile server knows and repeats. */
let secret = ''

const everyForm = () =>
  `${writingsOf(secret).join(' ')} ${JSON.stringify({ secret })} https://user:${secret}@host/`

/** Asks for a tool first, then repeats everything it was told, and the secret. */
const throughTool = (name: string, args: () => string): Script => {
  return ({ body: { messages } }) =>
    messages.some(({ role }) => role === 'tool')
      ? says(JSON.stringify(messages) + everyForm())
      : completion(
          { role: 'assistant', content: everyForm(), tool_calls: [call(name, args())] },
          { finish: 'tool_calls' },
        )
}

const MODES: Record<string, Script> = {
  echo_in_401: () =>
    json({ error: { message: everyForm(), code: secret, type: secret, param: secret } }, 401, {
      'x-key': encodeURIComponent(secret),
    }),
  echo_in_500: () => json(everyForm(), 500, { 'content-type': 'text/plain', 'retry-after': '999' }),
  echo_in_answer: () => says(everyForm()),
  echo_in_refusal: () => completion({ role: 'assistant', content: null, refusal: everyForm() }),
  echo_as_model_name:
    () =>
    (response, { body }) =>
      says('fine')(response, { body: { ...body, model: secret } } as never),
  echo_as_tool: throughTool('web_search', () => '{"query":"x"}'),
  unknown_tool: throughTool('no_such_tool', () => JSON.stringify({ key: secret })),
  broken_arguments: throughTool('thrower', () => `{"key": ${secret}`),
  tool_throw: throughTool('thrower', () => '{}'),
  search_error: throughTool('web_search', () => JSON.stringify({ query: secret })),
}

// EVIDENCE-OF docs/configuration.md: Secret.
// EVIDENCE-OF docs/reference/image.md: one JSON object per line on standard output; no secrets, no texts of tasks or answers.
// EVIDENCE-OF docs/guides/deployment.md: decisions/secrets.md, tracing.md
// EVIDENCE-OF docs/guides/graph.md: The variables keep their names, whatever the provider, so that the key is checked at start and
//   masked everywhere.
// EVIDENCE-OF docs/reference/threat-model.md: Redirects to another origin are refused, replies are limited to 16 MiB, each reply is checked,
//   and provider errors are never quoted
// EVIDENCE-OF docs/reference/threat-model.md: A line, a span or a reply contains a secret or a task's text
test.each(secrets)('$vendor: in no reply and no log line, whoever repeats it', async ({ value }) => {
  secret = value
  const turn = secrets.findIndex(one => one.value === value)
  for (const mode of Object.keys(MODES).filter((_, n) => (n + turn) % 3 === 0)) {
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

test.each(['application/json', 'text/event-stream'])(
  'a refusal of millions of characters that looks like a key: an error without it, as %s',
  async accept => {
    const refusal = `sk-${'a'.repeat(6_500_000)}`
    const { env } = await openAIServer(() => completion({ role: 'assistant', content: null, refusal }))
    const service = await testService(env)
    const response = await service.post({ task_id: 'test-1', input: 'anything' }, { accept })
    const error =
      '"task_id":"test-1","status":"error","output":"","metrics":{},"error":"the model refused the task: [redacted]"'
    expect(await response.text()).toContain(error)
  },
)

test.each(secrets)('$vendor: in no line of a crash, and in no connection error', async ({ value }) => {
  secret = value
  const nowhere = `http://127.0.0.1:1/${encodeURIComponent(value)}/v1`
  const env = { OPENAI_API_KEY: value, OPENAI_BASE_URL: nowhere, RUN_TIMEOUT_SEC: '0.2', LOG_LEVEL: 'trace' }
  const service = await testService(env)
  const crash = new TypeError(`fetch failed: ${everyForm()}`, { cause: new Error(value) })
  service.log.fatal(
    { err: Object.assign(crash, { code: value, status: value, headers: { authorization: value } }) },
    'crashed',
  )
  expect(service.lines.at(-1)).toMatchObject({ level: 'fatal', err: { name: 'TypeError' } })
  expectNone(JSON.stringify(service.lines), 'a crash')
  const reply = await service.run('anything')
  expect(reply.status).toMatch(/error|timeout/)
  expectNone(JSON.stringify([reply, service.lines]), 'a connect error')
})

async function hostileService(mode: string) {
  const { env } = await openAIServer(MODES[mode]!)
  const { url } = await startBackend(response =>
    json({ detail: everyForm() }, 401)(response, undefined as never),
  )
  const thrower = tool('thrower', () => {
    throw new Error(everyForm(), { cause: new Error(secret) })
  })
  const settings = {
    ...env,
    OPENAI_API_KEY: secret,
    AGENT_TOKENS: secret.replaceAll(',', ''),
    LOG_LEVEL: 'trace',
  }
  const search = createWebSearch({ engines: [{ provider: 'tavily', url, apiKey: secret }] })
  return await testService(settings, { tools: [search, thrower] })
}

function expectNone(text: string, where: string): void {
  const found = tracesOf(secret).filter(trace => text.includes(trace))
  expect(found, where).toEqual([])
}
