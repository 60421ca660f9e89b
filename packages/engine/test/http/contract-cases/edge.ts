import { accepted, type ContractCase, refused } from './contract-case.ts'

const BODY = { task_id: 'test-1', input: 'hello' }
const env = { AGENT_TOKENS: 'first-token, second-token' }
const withToken = (authorization: string) => ({
  env,
  body: BODY,
  headers: { 'content-type': 'application/json', authorization },
})
const UNAUTHORIZED = 'a valid bearer token is required'
const challenge = { 'www-authenticate': 'Bearer realm="agent"' }
const NOWHERE = 'unknown path; use POST /run or GET /health'

const wrongTokens: [name: string, authorization: string][] = [
  ['another', 'Bearer third-token'],
  ['a part', 'Bearer first-toke'],
  ['more', 'Bearer first-token1'],
  ['in another case', 'Bearer First-Token'],
  ['both at once', 'Bearer first-token,second-token'],
  ['the whole variable', 'Bearer first-token, second-token'],
  ['none after the scheme', 'Bearer'],
  ['empty', ''],
  ['without a scheme', 'first-token'],
  ['of another scheme', 'Basic first-token'],
  ['with a word after it', 'Bearer first-token x'],
  ['with a word before it', 'x Bearer first-token'],
  ['without a space', 'Bearerfirst-token'],
]

const health = { status: 'ok', agent_id: 'agent-1', agent_name: 'Agent Task Service' }
const noStoreOfTokens = { 'www-authenticate': null }

export const edge: readonly ContractCase[] = [
  accepted('token: the first', 'test-1', withToken('Bearer first-token')),
  accepted('token: the second', 'test-1', withToken('Bearer second-token')),
  accepted('token: scheme in lower case, two spaces', 'test-1', withToken('bearer  first-token')),
  accepted('token: to an open service', 'test-1', {
    body: BODY,
    headers: { 'content-type': 'application/json', authorization: 'Bearer whatever' },
  }),
  accepted('token: nonsense to an open service', 'test-1', {
    body: BODY,
    headers: { 'content-type': 'application/json', authorization: '?' },
  }),
  accepted('token: a blank AGENT_TOKENS leaves the service open', 'test-1', {
    env: { AGENT_TOKENS: '  ' },
    body: BODY,
  }),
  ...wrongTokens.map(([name, authorization]) =>
    refused(`token: ${name}`, withToken(authorization), 401, UNAUTHORIZED, challenge),
  ),
  refused('token: missing', { env, body: BODY }, 401, UNAUTHORIZED, challenge),
  refused(
    'token: missing, for a stream: refused in JSON',
    { env, body: BODY, headers: { 'content-type': 'application/json', accept: 'text/event-stream' } },
    401,
    UNAUTHORIZED,
    challenge,
  ),
  refused('token: asked for before the body is read', { env, body: 'no JSON' }, 401, UNAUTHORIZED, challenge),
  refused(
    'token: asked for before the media type',
    { env, body: 'x', headers: { 'content-type': 'text/plain' } },
    401,
    UNAUTHORIZED,
    challenge,
  ),

  ...['GET', 'PUT', 'OPTIONS'].map(method =>
    refused(
      `${method} /run`,
      { method, ...(method !== 'GET' && { body: BODY }) },
      405,
      'this method is not allowed here: allowed: POST',
      { allow: 'POST' },
    ),
  ),
  refused(
    'GET /run needs no token to be told',
    { method: 'GET', env },
    405,
    'this method is not allowed here: allowed: POST',
    { allow: 'POST', 'www-authenticate': null },
  ),
  {
    name: 'HEAD /run',
    method: 'HEAD',
    reply: { status: 405, headers: { allow: 'POST' }, body: null },
  },
  ...['POST', 'DELETE'].map(method => ({
    name: `${method} /health`,
    path: '/health',
    method,
    reply: {
      status: 405,
      headers: { allow: 'GET, HEAD' },
      body: { error: 'this method is not allowed here: allowed: GET, HEAD' },
    },
  })),

  { name: 'GET /health', path: '/health', method: 'GET', reply: { status: 200, body: health } },
  { name: 'HEAD /health', path: '/health', method: 'HEAD', reply: { status: 200, body: null } },
  {
    name: 'GET /health with a query',
    path: '/health?verbose=1',
    method: 'GET',
    reply: { status: 200, body: health },
  },
  {
    name: 'GET /health without the token',
    path: '/health',
    method: 'GET',
    env,
    reply: { status: 200, headers: noStoreOfTokens, body: health },
  },
  {
    name: 'GET /health of an agent with a name',
    path: '/health',
    method: 'GET',
    env: { AGENT_ID: 'agent-42', AGENT_NAME: 'Räuber "Hotzenplotz" 🤖' },
    reply: { status: 200, body: { ...health, agent_id: 'agent-42', agent_name: 'Räuber "Hotzenplotz" 🤖' } },
  },

  accepted('POST /run with a query', 'test-1', { path: '/run?retry=1', body: BODY }),
  ...['/run/', '/Run', '/health/', '/%ff'].map(path => ({
    name: `POST ${path}`,
    path,
    body: BODY,
    reply: { status: 404, body: { error: NOWHERE } },
  })),
  {
    name: 'GET /',
    path: '/',
    method: 'GET',
    env,
    reply: { status: 404, headers: noStoreOfTokens, body: { error: NOWHERE } },
  },
]
