import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test, vi } from 'vitest'

// EVIDENCE-OF docs/reference/threat-model.md: Tokens are compared as digests, in constant time
// EVIDENCE-OF docs/reference/threat-model.md: Anyone with a token may send any task, but can get another caller's answer only with its
//   UUID and its whole body.
test.each([
  { name: 'the first token', token: 'first-token' },
  { name: 'the last', token: 'second-token' },
  { name: 'half a token', token: 'first-' },
  { name: 'a long one', token: 'x'.repeat(5_000) },
  { name: 'none', token: '' },
])(
  'takes constant time: compares digests of equal length with every token, even after a match: $name',
  async ({ token }) => {
    const { post } = await testService({ AGENT_TOKENS: 'first-token,second-token' })
    const compare = vi.spyOn(crypto, 'timingSafeEqual')
    syncBuiltinESMExports()
    onTestFinished(() => {
      compare.mockRestore()
      syncBuiltinESMExports()
    })
    await post({}, { authorization: `Bearer ${token}` })
    const digests = compare.mock.calls.map(pair => pair.map(digest => digest.byteLength))
    expect(digests).toEqual([
      [32, 32],
      [32, 32],
    ])
  },
)
