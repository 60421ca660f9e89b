import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bearerAuth } from '../../../src/http/auth.ts'
import type { EdgeError } from '../../../src/http/errors.ts'

/** The result for a request with this header: `in`, or the error. */
async function ask(tokens: readonly string[], authorization?: string): Promise<string> {
  const app = new Hono()
  app.get('/', bearerAuth(tokens), c => c.text('in'))
  app.onError((error, c) => {
    const { code, message, headers } = error as EdgeError
    return c.text(`${code}: ${message} ${JSON.stringify(headers)}`)
  })
  const headers = authorization === undefined ? {} : { authorization }
  return await (await app.request('/', { headers })).text()
}

const OUT = 'unauthorized: a valid bearer token is required {"WWW-Authenticate":"Bearer realm=\\"agent\\""}'

test.each([
  ['Bearer first', 'in'],
  ['Bearer second', 'in'],
  ['bearer first', 'in'],
  ['BEARER   first', 'in'],
  ['  Bearer first  ', 'in'],
  ['Bearer third', OUT],
  ['Bearer firs', OUT],
  ['Bearer firstx', OUT],
  ['Bearer first second', OUT],
  ['Bearer first,second', OUT],
  ['Bearer ', OUT],
  ['Bearer', OUT],
  ['Bearerfirst', OUT],
  ['Basic first', OUT],
  ['x Bearer first', OUT],
  ['first', OUT],
  ['', OUT],
  [undefined, OUT],
])('with two tokens, %s gets: %s', async (authorization, answer) => {
  expect(await ask(['first', 'second'], authorization)).toBe(answer)
})

test.each([undefined, 'Bearer anything', 'nonsense'])(
  'without tokens everybody comes in: %s',
  async authorization => {
    expect(await ask([], authorization)).toBe('in')
  },
)

test.each([
  { name: 'the first token', token: 'first' },
  { name: 'the last', token: 'second' },
  { name: 'half a token', token: 'firs' },
  { name: 'a long one', token: 'x'.repeat(5_000) },
  { name: 'none', token: '' },
])(
  'takes constant time: compares digests of equal length with every token, even after a match: $name',
  async ({ token }) => {
    const compare = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    onTestFinished(() => {
      compare.mockRestore()
      syncBuiltinESMExports()
    })
    await ask(['first', 'second'], `Bearer ${token}`)
    const digests = compare.mock.calls.map(pair => pair.map(digest => digest.byteLength))
    expect(digests).toEqual([
      [32, 32],
      [32, 32],
    ])
  },
)
