import { expect, test } from 'vitest'
import { Breaker } from '../../../graph/model/breaker.ts'
import { fails, says } from '../../support/openai-replies.ts'
import { openAIServer } from '../../support/openai-server.ts'
import { testService } from '../../support/service.ts'

test('after three losses in a row a model is skipped for 30 s, then one run may try it', () => {
  let now = 1000
  const breaker = new Breaker(() => now)
  const lose = () => {
    expect(breaker.admits()).toBe(true)
    breaker.failed()
  }
  lose()
  lose()
  expect(breaker.admits()).toBe(true)
  breaker.succeeded()
  lose()
  lose()
  expect(breaker.state).toBe('closed')
  lose()
  expect([breaker.state, breaker.admits()]).toEqual(['open', false])
  now += 29_999
  expect([breaker.state, breaker.admits()]).toEqual(['open', false])
  now += 1
  expect([breaker.state, breaker.admits(), breaker.admits()]).toEqual(['half_open', true, false])
  breaker.failed()
  expect([breaker.state, breaker.admits()]).toEqual(['open', false])
  now += 30_000
  expect(breaker.admits()).toBe(true)
  // A hang-up says nothing about the model: another run may try.
  breaker.left()
  expect([breaker.admits(), breaker.admits()]).toEqual([true, false])
  breaker.succeeded()
  expect([breaker.state, breaker.admits(), breaker.admits()]).toEqual(['closed', true, true])
})

test('after three lost runs a model is not called, and the fallback answers', async () => {
  const first = await openAIServer(() => fails(503, undefined, { 'retry-after': '600' }))
  const second = await openAIServer(() => says('Here.'))
  const { run, lines } = await testService({
    ...first.env,
    LOG_ERRORS: 'brief',
    FALLBACK_MODEL: 'second',
    FALLBACK_BASE_URL: second.env.OPENAI_BASE_URL,
    FALLBACK_API_KEY: 'key-of-the-second',
  })
  for (let n = 1; n <= 5; n += 1) {
    expect(await run('Hello', {}, `test-${n}`)).toMatchObject({ status: 'success', output: 'Here.' })
    expect(first.requests).toHaveLength(Math.min(n, 3))
  }
  expect(lines.filter(({ msg }) => msg === 'model given up').map(({ reason }) => reason)).toEqual([
    'passing',
    'passing',
    'passing',
    'breaker_open',
    'breaker_open',
  ])
})

test('without a fallback a run says why its model was not called', async () => {
  const server = await openAIServer(() => fails(503, undefined, { 'retry-after': '600' }))
  const { run } = await testService({ ...server.env, LOG_ERRORS: 'brief' })
  for (const id of ['test-1', 'test-2', 'test-3']) await run('Hello', {}, id)
  expect(await run('Hello', {}, 'test-4')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('the model provider answered HTTP 503; it failed several runs in a row'),
  })
  expect(server.requests).toHaveLength(3)
})

test('a request that the model rejects does not count: others may succeed', async () => {
  const server = await openAIServer((_request, index) => (index < 5 ? fails(400) : says('Here.')))
  const { run } = await testService({ ...server.env, LOG_ERRORS: 'brief' })
  for (let n = 1; n <= 5; n += 1)
    expect(await run('Hello', {}, `test-${n}`)).toMatchObject({ status: 'error' })
  expect(await run('Hello', {}, 'test-6')).toMatchObject({ output: 'Here.' })
})
