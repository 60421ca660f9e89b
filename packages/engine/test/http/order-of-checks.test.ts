import { RunContext } from '@agent-task-service/engine'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { createMask } from '@agent-task-service/wire/masking'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createApp } from '../../http/app.ts'
import { createLog } from '../../log/log.ts'
import { edgeErrors } from '../../replies/errors.ts'

/** Longer than the body may be, and no UTF-8. */
const LONG = new Uint8Array(3_000).fill(0xff)
const BODY = { task_id: 'test-1', input: 'Hello' }
const tooDeep = `{"task_id":"test-1","config":{"own":${'['.repeat(200)}${']'.repeat(200)}}}`

/** A service whose only place is taken, and whose graph declares a setting of its own. */
async function fullService(maxBodyBytes = 2_000) {
  const lines: { readonly msg: string; readonly reason?: string }[] = []
  const taken = Promise.withResolvers<void>()
  const { app, lifecycle } = createApp({
    config: readConfig({
      AGENT_TOKENS: 'a-token',
      MAX_BODY_BYTES: `${maxBodyBytes}`,
      MAX_CONCURRENT_RUNS: '1',
      MAX_QUEUED_RUNS: '0',
    }),
    agent: {
      toolNames: [],
      context: z.object({ ...RunContext.shape, own: z.array(z.unknown()).optional() }),
      async run({ admit }) {
        await admit?.(new AbortController().signal)
        taken.resolve()
        return await new Promise<never>(() => {})
      },
    },
    log: createLog({ logLevel: 'info', logErrors: 'brief' }, createMask([]), {
      write: line => void lines.push(JSON.parse(line)),
    }),
    mask: createMask([]),
  })
  const headers = { authorization: 'Bearer a-token', 'content-type': 'application/json' }
  void app.request('/run', { method: 'POST', headers, body: JSON.stringify(BODY) })
  await taken.promise
  return { app, lifecycle, lines, headers }
}

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

test('an invalid request is answered even if there is no room for a valid one', async () => {
  const { app, headers, lines } = await fullService()
  const body = JSON.stringify({ task_id: 'my own words', input: 7, config: { max_tokens: 'a lot' } })
  const reply = await app.request('/run', { method: 'POST', headers, body })
  expect(reply.status).toBe(200)
  expect(await reply.json()).toMatchObject({ task_id: 'my own words', status: 'error' })
  // The names of the fields, none of their values.
  expect(lines.at(-1)).toEqual({
    level: 'info',
    time: expect.anything(),
    msg: 'run',
    task_id: '(invalid)',
    status: 'error',
    stop: 'invalid_request',
    fields: ['task_id', 'input', 'config.max_tokens'],
  })
})

const nested = (levels: number, inner = '') => `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
const values = (count: number) => `[${Array(count - 1).fill(1)}]`

test.each([
  { what: '100 levels', own: nested(100), status: 503 },
  { what: '100 levels around a value', own: nested(100, '1'), status: 503 },
  { what: '101 levels', own: nested(101), status: 400 },
  { what: '50,000 values', own: values(50_000), status: 200 },
  { what: '50,001 values', own: values(50_001), status: 400 },
])(
  'a setting of $what: $status, where only the room is missing, or it is too long',
  async ({ own, status }) => {
    const { app, headers } = await fullService(2 ** 20)
    const body = `{"task_id":"test-2","input":"Hello","config":{"own":${own}}}`
    const reply = await app.request('/run', { method: 'POST', headers, body })
    const { error } = (await reply.json()) as { readonly error: string }
    expect(reply.status).toBe(status)
    if (status === 400) expect(error).toContain('config.own')
  },
)
