import { RunContext } from '@agent-task-service/engine'
import { edgeErrors } from '@agent-task-service/engine/edge-errors'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** Longer than the body may be, and no UTF-8. */
const LONG = new Uint8Array(3_000).fill(0xff)
/** In pieces of a byte. */
const inPieces = (bytes: Uint8Array) =>
  new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
const BODY = { task_id: 'test-1', input: 'Hello' }
const tooDeep = `{"task_id":"test-1","config":{"own":${'['.repeat(200)}${']'.repeat(200)}}}`

const context = z.object({ ...RunContext.shape, own: z.array(z.unknown()).optional() })

/** A service whose only place is taken, and whose graph declares a setting of its own. */
async function fullService(maxBodyBytes = 2_000) {
  const model = new ScriptedModel([{ after: new Promise(() => {}) }])
  const env = {
    AGENT_TOKENS: 'a-token',
    MAX_BODY_BYTES: `${maxBodyBytes}`,
    MAX_CONCURRENT_RUNS: '1',
    MAX_QUEUED_RUNS: '0',
  }
  const service = await testService({ ...agent, context }, { env, models: [model.named()] })
  const headers = { authorization: 'Bearer a-token', 'content-type': 'application/json' }
  void service.post(BODY, headers)
  await model.asked(1)
  return { ...service, headers }
}

// EVIDENCE-OF docs/reference/errors.md: `/run` checks in this order: method and path, token, draining, media type, size and what it
//   holds, UTF-8, JSON, then, for a valid request, room for one more run.
// EVIDENCE-OF docs/reference/errors.md: A byte order mark is dropped
// EVIDENCE-OF docs/reference/errors.md: the body is not JSON
// EVIDENCE-OF docs/reference/errors.md: the body is not a JSON object
// EVIDENCE-OF docs/reference/errors.md: A setting that the graph declares has more than 100 levels or 50,000 values; the detail names it
// EVIDENCE-OF docs/reference/errors.md: `AGENT_TOKENS` is set and the request has none of them; with `WWW-Authenticate`
// EVIDENCE-OF docs/reference/errors.md: unknown path; use POST /run or GET /health
// EVIDENCE-OF docs/reference/errors.md: this method is not allowed here
// EVIDENCE-OF docs/reference/errors.md: the body is too large
// EVIDENCE-OF docs/reference/errors.md: Each takes far more memory and time than its bytes
// EVIDENCE-OF docs/reference/errors.md: the body must be sent as application/json, in UTF-8, uncompressed
// EVIDENCE-OF docs/reference/errors.md: If even reading a request would take too many descriptors, any request gets this
// EVIDENCE-OF docs/reference/errors.md: After SIGTERM; with `Retry-After`.
test('a request with every fault is told of them in the documented order, each in its words and in the log', async () => {
  const { app, lifecycle, lines, headers } = await fullService()
  lifecycle.draining = true
  const text = { ...headers, 'content-type': 'text/plain' }
  const { authorization: _, ...withoutToken } = text
  const nowDrained = () => {
    lifecycle.draining = false
  }
  // Each mends the first fault of the one before it.
  const requests: [code: keyof typeof edgeErrors, path: string, init: RequestInit, first?: () => void][] = [
    ['not_found', '/runs', { method: 'PUT', headers: withoutToken, body: LONG }],
    ['method_not_allowed', '/run', { method: 'PUT', headers: withoutToken, body: LONG }],
    ['unauthorized', '/run', { method: 'POST', headers: withoutToken, body: LONG }],
    ['draining', '/run', { method: 'POST', headers: text, body: LONG }],
    ['not_json_media_type', '/run', { method: 'POST', headers: text, body: LONG }, nowDrained],
    ['body_too_large', '/run', { method: 'POST', headers, body: LONG }],
    [
      'body_too_complex',
      '/run',
      { method: 'POST', headers, body: inPieces(LONG.subarray(0, 1_500)), duplex: 'half' } as RequestInit,
    ],
    ['not_utf8', '/run', { method: 'POST', headers, body: LONG.subarray(0, 1_000) }],
    ['not_json', '/run', { method: 'POST', headers, body: tooDeep.slice(1) }],
    ['not_an_object', '/run', { method: 'POST', headers, body: `[${tooDeep}]` }],
    ['too_complex', '/run', { method: 'POST', headers, body: tooDeep }],
    ['full', '/run', { method: 'POST', headers, body: JSON.stringify({ ...BODY, task_id: 'test-2' }) }],
  ]
  for (const [code, path, init, first] of requests) {
    first?.()
    const reply = await app.request(path, init)
    const { error } = (await reply.json()) as { readonly error: string }
    const { status, text } = edgeErrors[code]
    expect([reply.status, error.slice(0, text.length)]).toEqual([status, text])
    expect(lines.at(-1)).toMatchObject({ msg: 'refused', status, reason: code })
  }
})

// EVIDENCE-OF docs/reference/errors.md: A run that failed or timed out gets status 200 and says so in `status`. 4xx and 5xx mean
//   infrastructure: the request never became a run.
// EVIDENCE-OF docs/reference/errors.md: `/run` checks in this order: method and path, token, draining, media type, size and what it
//   holds, UTF-8, JSON, then, for a valid request, room for one more run.
// EVIDENCE-OF docs/reference/errors.md: `error` starts with `invalid request:` and says, for every wrong field, what was expected and
//   what it got; after ten it only says that there are more.
test('an invalid request is answered even if there is no room for a valid one', async () => {
  const { post, headers, lines } = await fullService()
  const reply = await post({ task_id: 'my own words', input: 7, config: { max_tokens: 'a lot' } }, headers)
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ task_id: 'my own words', status: 'error' })
  // The names of the fields, none of their values.
  expect(lines.at(-1)).toEqual({
    level: 'info',
    time: expect.anything(),
    msg: 'run',
    task_id: '(invalid)',
    token_number: 1,
    status: 'error',
    stop: 'invalid_request',
    fields: ['task_id', 'input', 'config.max_tokens'],
  })
})

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
const values = (count: number) => `[${Array(count - 1).fill(1)}]`

// EVIDENCE-OF docs/reference/errors.md: a setting nests too deep or has too many values
test.each([
  { what: '100 levels', own: nested(100), status: 503 },
  { what: '100 levels around a value', own: nested(100, '1'), status: 503 },
  { what: '101 levels', own: nested(101), status: 400 },
  { what: '3,000 levels', own: nested(3_000), status: 400 },
  { what: '10,000 levels of objects', own: `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, status: 400 },
  { what: '50,000 values', own: values(50_000), status: 200 },
  { what: '49,000 values and 99 levels', own: `[${'1,'.repeat(49_000)}${nested(99)}]`, status: 200 },
  { what: '50,001 values', own: values(50_001), status: 400 },
  { what: '200,000 values', own: values(200_000), status: 413 },
])(
  'a setting of $what: $status, where only the room is missing, or it is too long',
  async ({ own, status }) => {
    const { post, headers } = await fullService(2 ** 20)
    const asked = (name: string) =>
      post(`{"task_id":"test-2","input":"Hello","config":{"${name}":${own}}}`, headers)
    const reply = await asked('own')
    const { error } = (await reply.json()) as { readonly error: string }
    expect(reply.status).toBe(status)
    if (status === 400) expect(error).toContain('config.own: expected')
    // Undeclared members are ignored, but for what the whole body may hold.
    expect((await asked('other')).status).toBe(status === 413 ? 413 : 503)
  },
)
