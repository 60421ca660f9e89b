import { expect, test } from 'vitest'
import { errorIn, STAGING_TOKEN, testPlatform } from '../platform.ts'

const ORIGIN = 'http://localhost:8090'
const PAGES = new Map([['/', { body: '<p>hello</p>', type: 'text/html; charset=utf-8' }]])

test.for<[who: string, headers: Record<string, string>, expected: number[]]>([
  ['anyone', {}, [200, 200, 200, 401]],
  ['with the token', { authorization: `Bearer ${STAGING_TOKEN}` }, [200, 200, 200, 502]],
  ['with another token', { authorization: `Bearer ${STAGING_TOKEN}x` }, [200, 200, 200, 401]],
  ['the dashboard', { origin: ORIGIN }, [200, 200, 200, 401]],
  ['another site', { origin: 'http://evil.example' }, [403, 403, 403, 403]],
  ['another port', { origin: 'http://localhost:8091' }, [403, 403, 403, 403]],
  ['a page without an origin', { origin: 'null' }, [403, 403, 403, 403]],
])('%s', async ([, headers, expected]) => {
  const { app } = testPlatform({ pages: PAGES })
  const post = { method: 'POST', headers, body: '{}' }
  const replies = await Promise.all([
    app.request(`${ORIGIN}/`, { headers }),
    app.request(`${ORIGIN}/api/runs`, { headers }),
    app.request(`${ORIGIN}/api/agents/agent-7/health`, post),
    app.request(`${ORIGIN}/staging/agents/agent-7/run`, post),
  ])
  expect(replies.map(({ status }) => status)).toEqual(expected)
})

test('401 says what to send', async () => {
  const { app } = testPlatform()
  const reply = await app.request('/staging/none')
  expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="staging"')
  expect(await errorIn(reply)).toBe('Authorization: expected "Bearer <the staging token>", got none')
})

test('421 under the name of another site', async () => {
  const { app } = testPlatform()
  expect((await app.request('http://evil.example/')).status).toBe(421)
  for (const host of ['127.0.0.1:8090', 'localhost', '[::1]:8090']) {
    expect((await app.request(`http://${host}/`)).status).toBe(404)
  }
})

test("the dashboard's policy allows nothing from other origins", async () => {
  const { app } = testPlatform({ pages: PAGES })
  expect(Object.fromEntries((await app.request('/')).headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
      "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
})
