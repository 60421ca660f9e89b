import { expect, test } from 'vitest'
import { errorIn, STAGING_TOKEN, testPlatform } from '../../support/platform.ts'

const ORIGIN = 'http://localhost:8090'
const PAGES = new Map([['/', { body: '<p>hello</p>', type: 'text/html; charset=utf-8' }]])
const basic = (password: string) => `Basic ${btoa(`anyone:${password}`)}`

/** Sends requests with these headers; resolves with the status of each path, the staging route last. */
function statuses(isLocal: boolean, headers: Record<string, string> = {}): Promise<number[]> {
  const { app } = testPlatform({ isLocal, pages: PAGES })
  const post = { method: 'POST', headers, body: '{}' }
  const replies = [
    app.request(`${ORIGIN}/`, { headers }),
    app.request(`${ORIGIN}/api/runs`, { headers }),
    app.request(`${ORIGIN}/api/agents/agent-7/health`, post),
    app.request(`${ORIGIN}/staging/agents/agent-7/run`, post),
  ]
  return Promise.all(replies.map(async reply => (await reply).status))
}

test.for<[who: string, isLocal: boolean, headers: Record<string, string>, expected: number[]]>([
  ['on this machine, anyone', true, {}, [200, 200, 200, 401]],
  [
    'on this machine, with the token',
    true,
    { authorization: `Bearer ${STAGING_TOKEN}` },
    [200, 200, 200, 502],
  ],
  ['from outside, anyone', false, {}, [401, 401, 401, 401]],
  ['from outside, with the token', false, { authorization: `Bearer ${STAGING_TOKEN}` }, [200, 200, 200, 502]],
  [
    'from outside, with the token as password',
    false,
    { authorization: basic(STAGING_TOKEN) },
    [200, 200, 200, 401],
  ],
  ['with another token', false, { authorization: `Bearer ${STAGING_TOKEN}x` }, [401, 401, 401, 401]],
  ['with another password', false, { authorization: basic('other') }, [401, 401, 401, 401]],
  ['the dashboard', true, { origin: ORIGIN }, [200, 200, 200, 401]],
  ['another site', true, { origin: 'http://evil.example' }, [403, 403, 403, 403]],
  ['another port', true, { origin: 'http://localhost:8091' }, [403, 403, 403, 403]],
  ['a page without an origin', true, { origin: 'null' }, [403, 403, 403, 403]],
  [
    'another site, with the password that the browser remembers',
    false,
    { origin: 'http://evil.example', authorization: basic(STAGING_TOKEN) },
    [403, 403, 403, 403],
  ],
])('%s', async ([, isLocal, headers, expected]) => {
  expect(await statuses(isLocal, headers)).toEqual(expected)
})

test('401 says what to send, and lets browsers ask for it', async () => {
  const { app } = testPlatform()
  const [page, route] = await Promise.all(['/', '/staging/none'].map(path => app.request(path)))
  const scheme = (reply: Response) => reply.headers.get('www-authenticate')
  expect([page, route].map(reply => scheme(reply!))).toEqual([
    'Basic realm="staging"',
    'Bearer realm="staging"',
  ])
  expect(await errorIn(page!)).toBe('Authorization: expected "Bearer <the staging token>", got none')
})

test('421 under the name of another site', async () => {
  const { app } = testPlatform({ hosts: ['desk.example'], isLocal: true })
  expect((await app.request('http://evil.example/')).status).toBe(421)
  for (const host of ['127.0.0.1:8090', 'localhost', '[::1]:8090', 'desk.example']) {
    expect((await app.request(`http://${host}/`)).status).toBe(404)
  }
})

test("the dashboard's policy allows nothing from other origins", async () => {
  const { app } = testPlatform({ pages: PAGES, isLocal: true })
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
