import { expect, test } from 'vitest'
import { AGENT_TOKEN, errorIn, STAGING_TOKEN, task, testPlatform } from '../../support/platform.ts'
import { replies, scriptedAgent, success } from '../../support/scripted-agent.ts'

const ORIGIN = 'http://localhost:8090'

/** A signed-in browser: its requests carry the cookie, and no token. */
async function signedIn(parts: Parameters<typeof testPlatform>[0] = {}) {
  const platform = testPlatform(parts)
  const headers = { authorization: `Bearer ${STAGING_TOKEN}` }
  const response = await platform.app.request(`${ORIGIN}/api/session`, { method: 'POST', headers })
  const { formToken } = (await response.json()) as { formToken: string }
  const setCookie = response.headers.get('set-cookie')!
  const [cookie = ''] = setCookie.split(';')
  const ask = (path: string, method = 'GET', more: Record<string, string> = {}, body?: string) =>
    platform.app.request(`${ORIGIN}${path}`, { method, headers: { cookie, ...more }, ...(body && { body }) })
  return { ...platform, ask, setCookie, cookie, form: { 'x-form-token': formToken }, formToken }
}

test('scripts and other sites cannot reach the cookie, and it holds no token', async () => {
  const { setCookie, formToken } = await signedIn()
  expect(setCookie).toMatch(/^staging_session_8090=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(decodeURIComponent(setCookie)).not.toContain(STAGING_TOKEN)
  expect(decodeURIComponent(setCookie)).not.toContain(formToken)
})

test("the cookie is enough to read; changes also need the same session's form token", async () => {
  const agent = await scriptedAgent(replies(success))
  const { ask, form, app } = await signedIn({ url: agent.url })
  for (const path of ['/api/agents', '/api/runs', '/api/session']) expect((await ask(path)).status).toBe(200)
  const other = await (await signedIn()).form
  for (const path of [
    '/api/agents/agent-7/run',
    '/api/agents/agent-7/health',
    '/api/agents/agent-7/checks',
  ]) {
    const none = await ask(path, 'POST', {}, JSON.stringify(task()))
    expect([none.status, await errorIn(none)]).toEqual([
      403,
      'X-Form-Token: expected the form token of this session, got none',
    ])
    expect((await ask(path, 'POST', other, JSON.stringify(task()))).status).toBe(403)
  }
  expect(agent.requests).toEqual([])
  const ran = await ask('/api/agents/agent-7/run', 'POST', form, JSON.stringify(task()))
  expect([ran.status, ran.headers.get('staging-run')]).toEqual([200, '1'])
  expect(agent.requests[0]!.headers).toMatchObject({ authorization: `Bearer ${AGENT_TOKEN}` })
  expect(agent.requests[0]!.headers).not.toHaveProperty('cookie')
  // The form token alone gives no access.
  expect((await app.request(`${ORIGIN}/api/agents`, { headers: form })).status).toBe(401)
})

test('the staging route accepts only its bearer token', async () => {
  const { ask, form } = await signedIn()
  const response = await ask('/staging/agents/agent-7/run', 'POST', form, JSON.stringify(task()))
  expect(response.status).toBe(401)
})

test('refuses a cookie that was altered, or made by another platform', async () => {
  const { app, cookie } = await signedIn()
  const status = async (changed: string) =>
    (await app.request(`${ORIGIN}/api/agents`, { headers: { cookie: changed } })).status
  expect(await status(cookie)).toBe(200)
  expect(await status(cookie.replace(/=./, '=!'))).toBe(401)
  expect(await status(cookie.split('.')[0]!)).toBe(401)
  const foreign = testPlatform({ token: 'the-token-of-another-platform' })
  expect((await foreign.app.request(`${ORIGIN}/api/agents`, { headers: { cookie } })).status).toBe(401)
})
