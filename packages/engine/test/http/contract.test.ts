import { ScriptedModel } from '@agent-task-service/engine/testing'
import { SYSTEM_PROMPT } from '@agent-task-service/test-support/agent/test-agent'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { testService } from '@agent-task-service/test-support/service'
import { healthResponse, plainError, runResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { bodies } from './contract-cases/bodies.ts'
import { config } from './contract-cases/config.ts'
import { ANSWER, type ContractCase } from './contract-cases/contract-case.ts'
import { edge } from './contract-cases/edge.ts'
import { fields } from './contract-cases/fields.ts'
import { ids } from './contract-cases/ids.ts'

const RUN_MEMBERS = ['task_id', 'status', 'output', 'metrics', 'error']
const METRICS_MEMBERS = ['duration_sec', 'input_tokens', 'output_tokens', 'steps']
const cases = [...ids, ...fields, ...config, ...bodies, ...edge]

// EVIDENCE-OF README.md: It is a LangGraph.js state machine behind a thin Hono server that keeps a marketplace's contract to
//   the letter.
test('the tables name every case once', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
})

// EVIDENCE-OF README.md [task_id: test- without digits]: A `task_id` is a UUID, or `test-` and digits.
// EVIDENCE-OF README.md [task_id: UUID a digit long]: A `task_id` is a UUID, or `test-` and digits.
// EVIDENCE-OF README.md [task_id: UUID in upper case]: A `task_id` is a UUID, or `test-` and digits.
// EVIDENCE-OF docs/configuration.md [GET /health of an agent with a name]: | `AGENT_ID` |
// EVIDENCE-OF docs/configuration.md [GET /health of an agent with a name]: | `AGENT_NAME` |
// EVIDENCE-OF docs/configuration.md [token: the second]: | `AGENT_TOKENS` |
// EVIDENCE-OF docs/configuration.md [token: a blank AGENT_TOKENS leaves the service open]: | `AGENT_TOKENS` |
// EVIDENCE-OF docs/configuration.md [body: too large for MAX_BODY_BYTES]: | `MAX_BODY_BYTES` |
// EVIDENCE-OF docs/configuration.md [body: as large as MAX_BODY_BYTES]: | `MAX_BODY_BYTES` |
// EVIDENCE-OF docs/guides/deployment.md [token: missing]: Anyone with one of `AGENT_TOKENS`; if there are none, everybody.
// EVIDENCE-OF docs/guides/deployment.md [token: to an open service]: Anyone with one of `AGENT_TOKENS`; if there are none, everybody.
// EVIDENCE-OF docs/guides/deployment.md [GET /health without the token]: Anyone with one of `AGENT_TOKENS`; if there are none,
//   everybody.
// EVIDENCE-OF docs/guides/deployment.md [token: the first]: `AGENT_TOKENS` accepts several tokens; the environment is read only at
//   start.
// EVIDENCE-OF docs/guides/deployment.md [token: the second]: `AGENT_TOKENS` accepts several tokens; the environment is read only at
//   start.
// EVIDENCE-OF docs/reference/errors.md: A run that failed or timed out gets status 200 and says so in `status`. 4xx and 5xx mean
//   infrastructure: the request never became a run.
// EVIDENCE-OF docs/reference/errors.md: `task_id`, `status`, `output`, `metrics`, `error`.
// EVIDENCE-OF docs/reference/errors.md [GET /]: `task_id`, `status`, `output`, `metrics`, `error`.
// EVIDENCE-OF docs/reference/errors.md [body that is not UTF-8: Latin-1]: the body is not UTF-8
// EVIDENCE-OF docs/reference/errors.md [body that is not UTF-8: a surrogate]: the body is not UTF-8
// EVIDENCE-OF docs/reference/errors.md [body: a byte order mark]: A byte order mark is dropped
// EVIDENCE-OF docs/reference/errors.md [body that is not JSON: cut off]: It is empty, cut off, followed by something else, or not JSON at
//   all
// EVIDENCE-OF docs/reference/errors.md [body that is not JSON: empty]: the body is not JSON
// EVIDENCE-OF docs/reference/errors.md [body that is no object: an array]: the body is not a JSON object
// EVIDENCE-OF docs/reference/errors.md [body that is no object: null]: the body is not a JSON object
// EVIDENCE-OF docs/reference/errors.md [token: missing]: a valid bearer token is required
// EVIDENCE-OF docs/reference/errors.md [token: the second]: a valid bearer token is required
// EVIDENCE-OF docs/reference/errors.md [POST /Run]: unknown path; use POST /run or GET /health
// EVIDENCE-OF docs/reference/errors.md [POST /run/]: unknown path; use POST /run or GET /health
// EVIDENCE-OF docs/reference/errors.md [GET /run]: Another method on `/run` or `/health`; with `Allow`
// EVIDENCE-OF docs/reference/errors.md [DELETE /health]: Another method on `/run` or `/health`; with `Allow`
// EVIDENCE-OF docs/reference/errors.md [body: too large for MAX_BODY_BYTES]: the body is too large
// EVIDENCE-OF docs/reference/errors.md [body: a value too many]: the body holds too much
// EVIDENCE-OF docs/reference/errors.md [body: a name too many]: the body holds too much
// EVIDENCE-OF docs/reference/errors.md [no Content-Type]: `Content-Type` is missing, is another type or names another charset, or there
//   is a `Content-Encoding`
// EVIDENCE-OF docs/reference/errors.md [Content-Encoding gzip]: `Content-Type` is missing, is another type or names another charset, or
//   there is a `Content-Encoding`
// EVIDENCE-OF docs/reference/errors.md [everything wrong at once is named at once]: The log line `run` has `stop: "invalid_request"` and
//   the names of the fields, never their values.
// EVIDENCE-OF docs/reference/errors.md [config: enabled_tools: 10,000 unknown names, the first ten are shown]: The log line `run` has
//   `stop: "invalid_request"` and the names of the fields, never their values.
// EVIDENCE-OF docs/reference/errors.md [task_id: huge]: `task_id` is echoed if it is a string.
// EVIDENCE-OF docs/reference/errors.md [body: a task_id of nearly 1 MiB is echoed whole]: `task_id` is echoed if it is a string.
// EVIDENCE-OF docs/reference/threat-model.md [token: missing]: Set long random tokens.
// EVIDENCE-OF docs/reference/threat-model.md [token: another]: Set long random tokens.
// EVIDENCE-OF docs/reference/threat-model.md [token: a part]: Set long random tokens.
// EVIDENCE-OF docs/reference/threat-model.md [token: more]: Set long random tokens.
// EVIDENCE-OF docs/reference/threat-model.md [token: in another case]: Set long random tokens.
// EVIDENCE-OF docs/reference/threat-model.md [body: too large by its Content-Length]: Every body is limited to 1 MiB and in what it
//   holds, counted before it is parsed, and checked against a schema.
test.for(cases.map(row => [row.name, row] as const))('%s', async ([_name, row]) => {
  const model = new ScriptedModel(() => ANSWER)
  const { app } = await testService(row.env, { models: [model.named()] })

  const response = await app.request(row.path ?? '/run', requestOf(row))

  const text = await response.text()
  expect(response.status).toBe(row.reply.status)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('idempotent-replayed')).toBe(null)
  for (const [name, value] of Object.entries(row.reply.headers ?? {})) {
    expect([name, response.headers.get(name)]).toEqual([name, value])
  }
  if (row.reply.body === null) expect(text).toBe('')
  else expectBody(text, row)
  expect(model.requests.map(seenBy)).toEqual(row.seen ? [seenAs(row)] : [])
})

function requestOf({ method = 'POST', headers, body }: ContractCase): RequestInit {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return {
    method,
    headers: headers ?? { 'content-type': 'application/json' },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  }
}

function expectBody(text: string, { path = '/run', reply }: ContractCase): void {
  const body = JSON.parse(text)
  const isRun = path.split('?')[0] === '/run'
  const schema = isRun
    ? runResponse
    : path.startsWith('/health') && 'agent_id' in body
      ? healthResponse
      : plainError
  // Equal after parsing, too: a schema may drop unknown members.
  expect(schema.parse(body)).toEqual(body)
  if (isRun) expect(Object.keys(body)).toEqual(RUN_MEMBERS.filter(member => member in body))
  if (body.status === 'success') {
    const { duration_sec, ...counts } = body.metrics
    expect(Object.keys(body.metrics)).toEqual(METRICS_MEMBERS)
    expect(duration_sec).toBeGreaterThanOrEqual(0)
    expect(String(duration_sec)).toMatch(/^\d+(\.\d{1,3})?$/)
    body.metrics = counts
  }
  expect(body).toEqual(reply.body)
}

interface SeenByModel {
  readonly texts: readonly string[]
  readonly tools: readonly string[]
  readonly maxTokens: number | undefined
}

function seenBy({ messages, tools, maxTokens }: ScriptedModel['requests'][number]): SeenByModel {
  return { texts: messages.map(({ text }) => text), tools, maxTokens }
}

const OWN_PROMPT = expect.stringContaining(SYSTEM_PROMPT)

/** What the row says the model sees, or any agent's defaults. */
function seenAs({ seen }: ContractCase): SeenByModel {
  const { input = '', systemPrompt = OWN_PROMPT, tools = OWN_TOOLS, maxTokens } = seen ?? {}
  return { texts: systemPrompt === '' ? [input] : [systemPrompt, input], tools, maxTokens }
}
