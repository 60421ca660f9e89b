import { request } from 'node:http'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'

const TASKS = 100
const DESCRIPTORS = 64

/** Posts a task on a connection of its own. */
function post(
  url: string,
): Promise<{ status: number | undefined; retryAfter: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${url}/run`, { method: 'POST', agent: false, headers }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', part => {
        body += part
      })
      const { statusCode: status, headers } = response
      response.on('end', () => resolve({ status, retryAfter: headers['retry-after'], body }))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ task_id: 'test-1', input: 'Hello' }))
  })
}

// EVIDENCE-OF docs/reference/errors.md: If even reading a request would take too many descriptors, any request gets this
test(`with ${DESCRIPTORS} descriptors, each of ${TASKS} tasks at once is answered, or told to come back`, async () => {
  const gate = Promise.withResolvers<void>()
  const server = await openAIServer(async () => {
    await gate.promise
    return says('Done.')
  })
  const { url, line } = await startProcess({ ...server.env, OPENAI_API: 'chat' }, [], undefined, DESCRIPTORS)
  expect(await line(({ msg }) => String(msg).startsWith('few file descriptors'))).toMatchObject({
    level: 'warn',
  })
  const replies = Array.from({ length: TASKS }, () => post(url))
  await Promise.any(replies)
  gate.resolve()
  const all = await Promise.all(replies)
  const answered = all.filter(({ status }) => status === 200)
  expect(answered.length).toBeGreaterThan(0)
  for (const { body } of answered)
    expect(JSON.parse(body)).toMatchObject({ status: 'success', output: 'Done.' })
  const refused = all.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, retryAfter, body } of refused) {
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' })
    expect(JSON.parse(body)).toMatchObject({ task_id: '', status: 'error', output: '', metrics: {} })
  }
})
