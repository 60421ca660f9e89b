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

// EVIDENCE-OF docs/guides/operations.md: `token_number` is the position of the caller's token in `AGENT_TOKENS`, from 1
test('each line of a request says which token it had, never its text', async () => {
  const tokens = ['first-token', 'second-token']
  const { post, lines } = await testService({ AGENT_TOKENS: tokens.join() })
  const input = 'What is 15% of 240?'
  const task_id = crypto.randomUUID()
  const as = async (token: string, body: object) => {
    await (await post(body, { authorization: `Bearer ${token}` })).text()
  }
  await as('first-token', { task_id, input })
  await as('second-token', { task_id, input })
  await as('second-token', { task_id: 'test-1', input })
  await as('second-token', { task_id })
  await as('third-token', { task_id, input })
  expect(lines.map(({ msg, token_number }) => [msg, token_number])).toEqual([
    ['run', 1],
    ['replayed', 2],
    ['run', 2],
    ['run', 2],
    ['refused', undefined],
  ])
  expect(tokens.some(token => JSON.stringify(lines).includes(token))).toBe(false)
})

test('without tokens no line has a number', async () => {
  const { run, lines } = await testService()
  await run('What is 15% of 240?')
  expect(lines.at(-1)).not.toHaveProperty('token_number')
})
