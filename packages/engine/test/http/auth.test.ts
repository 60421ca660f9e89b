import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bearerAuth } from '../../http/auth.ts'

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
    const app = new Hono().get('/', bearerAuth(['first', 'second']))
    await app.request('/', { headers: { authorization: `Bearer ${token}` } })
    const digests = compare.mock.calls.map(pair => pair.map(digest => digest.byteLength))
    expect(digests).toEqual([
      [32, 32],
      [32, 32],
    ])
  },
)
