import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { hosted } from './providers/hosted.ts'
import { local } from './providers/local.ts'
import type { Provider } from './providers/provider.ts'
import { responsesProviders } from './providers/responses-providers.ts'
import { KEY, type Tenant, type Trouble, tenant } from './providers/server.ts'

const kinds = [hosted, local, responsesProviders]
const providers = kinds.flat()
const having = (member: keyof Provider) =>
  some(
    providers.filter(provider => provider[member] !== undefined),
    providers.length,
  )

/** A service in front of a provider. */
const serviceFor = async (
  { env }: Tenant,
  more: Record<string, string> = {},
  tools: StructuredToolInterface[] = [add],
) => await testService({ LOG_ERRORS: 'brief', ...env, ...more }, { tools })

/** A run in which something goes wrong with the first request. */
async function runWith(provider: Provider, trouble: Trouble) {
  const served = tenant(provider, trouble)
  const { run } = await serviceFor(served)
  // It waits before it asks again.
  const reply = await fakeTime().until(run('Add them', { max_tokens: 5000 }))
  return { reply, refused: served.requests.filter(({ refusal }) => refusal), served }
}

const SUM = { status: 'success', output: 'The sums are 3 and 7.' }

describe.each(kinds.flatMap(kind => some(kind, kind.length)))('$name', provider => {
  test('limited: called again', async () => {
    const { reply, refused } = await runWith(provider, 'limited')
    expect(reply).toMatchObject(SUM)
    expect(refused).toHaveLength(1)
  })

  test('an error inside a stream: called again, and none of it is in the answer', async () => {
    const { reply, served } = await runWith(provider, 'stream_error')
    expect(reply).toMatchObject(SUM)
    expect(served.requests).toHaveLength(3)
  })
})

/** What the log says about a model that was given up for another. */
async function givenUp(
  provider: Provider,
  env: (own: Tenant['env']) => Record<string, string>,
  troubles: Trouble[] = [],
) {
  const other = await openAIServer(() => says('From the other.'))
  const served = tenant(provider, ...troubles)
  const fallback = {
    FALLBACK_MODEL: 'other',
    FALLBACK_BASE_URL: other.env.OPENAI_BASE_URL,
    FALLBACK_API_KEY: 'other-key-0815',
  }
  const { run, lines } = await serviceFor(served, { ...env(served.env), ...fallback })
  expect(await run('Add them')).toMatchObject({ status: 'success', output: 'From the other.' })
  expect(other.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer other-key-0815'])
  expect(served.requests.map(({ refusal }) => refusal !== undefined)).toEqual([true])
  expect(JSON.stringify([lines, other.requests])).not.toContain(KEY)
  return lines.find(({ msg }) => msg === 'model given up')
}

describe('one refusal, and the other model is called, with its own key', () => {
  // EVIDENCE-OF docs/configuration.md: | `FALLBACK_BASE_URL` |
  // EVIDENCE-OF docs/configuration.md: | `FALLBACK_API_KEY` |
  test.each(having('wrongKey'))('$name: a wrong key', async provider => {
    const line = await givenUp(provider, () => ({ OPENAI_API_KEY: 'wrong-key' }))
    expect(line).toMatchObject({ reason: 'key_rejected', next: 'other' })
  })

  test.each(having('wrongModel'))('$name: an unknown model', async provider => {
    expect(await givenUp(provider, () => ({ MODEL: 'nothing' }))).toMatchObject({ reason: 'not_found' })
  })

  // EVIDENCE-OF docs/configuration.md: | `FALLBACK_BASE_URL` |
  // EVIDENCE-OF docs/configuration.md: | `FALLBACK_API_KEY` |
  test.each(having('wrongPath'))('$name: a wrong path', async provider => {
    const env = ({ OPENAI_BASE_URL = '' }: Tenant['env']) => ({
      OPENAI_BASE_URL: OPENAI_BASE_URL.replace(/(\/tenant-\d+)/, '$1/elsewhere'),
    })
    expect(await givenUp(provider, env)).toMatchObject({ reason: 'not_found' })
  })

  test.each(having('spent'))('$name: a spent quota', async provider => {
    expect(await givenUp(provider, () => ({}), ['spent'])).toMatchObject({ reason: 'quota_spent' })
  })
})

describe('learns limits', () => {
  test.each(having('cap'))('$name: a cap above its maximum', async provider => {
    const served = tenant(provider)
    const { run } = await serviceFor(served)
    const refused = () => served.requests.filter(({ refusal }) => refusal).length
    expect(await run('Add them', { max_tokens: 100_000 })).toMatchObject(SUM)
    expect(refused()).toBe(1)
    expect(new Set(served.requests.map(({ asked }) => JSON.stringify(asked))).size).toBe(3)
    for (const { asked } of served.requests.filter(({ refusal }) => !refusal).slice(0, 1))
      expect(asked.max_output_tokens ?? asked.max_completion_tokens ?? asked.max_tokens).toBe(
        provider.cap!.largest,
      )
  })

  test.each(having('context'))('$name: a conversation longer than its context', async provider => {
    const wordy = tool('add', () => 'All is well. '.repeat(4000), { readOnlyHint: true })
    const served = tenant(provider)
    const { run } = await serviceFor(served, {}, [wordy])
    const refused = () => served.requests.filter(({ refusal }) => refusal).length
    expect(await run('Add them')).toMatchObject(SUM)
    expect(JSON.stringify(served.requests.at(-1)!.asked)).toContain('[shortened to fit')
    expect(refused()).toBeLessThanOrEqual(1)
    expect(new Set(served.requests.map(({ asked }) => JSON.stringify(asked))).size).toBeGreaterThanOrEqual(2)
  })
})
