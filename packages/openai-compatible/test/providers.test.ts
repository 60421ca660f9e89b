import { createModels } from '@agent-task-service/starter/models'
import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { hosted } from '@agent-task-service/test-support/providers/hosted'
import { local } from '@agent-task-service/test-support/providers/local'
import type { Provider } from '@agent-task-service/test-support/providers/provider'
import { responsesProviders } from '@agent-task-service/test-support/providers/responses-providers'
import { KEY, type Tenant, type Trouble, tenant } from '@agent-task-service/test-support/providers/server'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { add, tool } from '@agent-task-service/test-support/sample-tools'
import { testService } from '@agent-task-service/test-support/service'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'

const kinds = [hosted, local, responsesProviders]
const providers = kinds.flat()
const having = (member: keyof Provider) =>
  some(
    providers.filter(provider => provider[member] !== undefined),
    providers.length,
  )

/** A service in front of a provider; `whole`: without streaming. */
async function serviceFor(
  { env }: Tenant,
  more: Record<string, string> = {},
  { isWhole = false, tools = [add] }: { isWhole?: boolean; tools?: StructuredToolInterface[] } = {},
) {
  const settings = { LOG_ERRORS: 'brief', ERROR_METRICS: 'filled', ...env, ...more }
  const entries = await createModels(readConfig(settings).model)
  const models = isWhole ? entries.map(entry => ({ ...entry, stream: false })) : entries
  return await testService(settings, { tools, models })
}

/** A run of two rounds of tools. */
async function runOf(
  provider: Provider,
  troubles: Trouble[],
  env: Record<string, string> = {},
  isWhole = false,
) {
  const served = tenant(provider, ...troubles)
  const service = await serviceFor(served, env, { isWhole })
  // It waits before it asks again.
  const reply = await fakeTime().until(service.run('Add them', { max_tokens: 5000 }))
  const refused = served.requests.filter(({ refusal }) => refusal !== undefined)
  return { reply, refused, served, service }
}

const SUM = { status: 'success', output: 'The sum is 10.' }

describe.each(kinds.flatMap(kind => some(kind, kind.length)))('$name', provider => {
  const { learns = 0 } = provider

  // EVIDENCE-OF README.md: Without one, an embedded offline model does arithmetic, units, times and dates.
  test.each([{ way: 'streamed' }, { way: 'whole' }])('two rounds of tools, $way', async ({ way }) => {
    const { reply, refused, served } = await runOf(provider, [], {}, way === 'whole')
    const bodies = refused.map(({ refusal }) => refusal!.body)
    // A stream's own members are refused only in a stream.
    expect(bodies.length, JSON.stringify(bodies)).toBeLessThanOrEqual(learns)
    expect(reply).toMatchObject({ ...SUM, metrics: { steps: 6, input_tokens: 300, output_tokens: 30 } })
    expect(served.requests.filter(({ refusal }) => !refusal)).toHaveLength(3)
    for (const [name, value] of Object.entries(JSON.parse(provider.env?.MODEL_HEADERS ?? '{}')))
      expect(served.requests.map(({ headers }) => headers[name])).toEqual([value, value, value])
  })

  test('limited: called again', async () => {
    const { reply, refused } = await runOf(provider, ['limited'])
    expect(reply).toMatchObject(SUM)
    expect(refused).toHaveLength(1 + learns)
  })

  test('an error inside a stream: called again, and none of it is in the answer', async () => {
    const { reply, served } = await runOf(provider, [...Array(learns).fill(undefined), 'stream_error'])
    expect(reply).toMatchObject(SUM)
    expect(served.requests).toHaveLength(4 + learns)
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
    expect(refused()).toBeLessThanOrEqual(1 + (provider.learns ?? 0))
    expect(new Set(served.requests.map(({ asked }) => JSON.stringify(asked))).size).toBeGreaterThanOrEqual(4)
    for (const { asked } of served.requests.filter(({ refusal }) => !refusal).slice(0, 1))
      expect(asked.max_output_tokens ?? asked.max_completion_tokens ?? asked.max_tokens).toBe(
        provider.cap!.largest,
      )
  })

  test.each(having('context'))('$name: a conversation longer than its context', async provider => {
    const wordy = tool('add', () => 'All is well. '.repeat(4000), { readOnlyHint: true })
    const served = tenant(provider)
    const { run } = await serviceFor(served, {}, { tools: [wordy] })
    const refused = () => served.requests.filter(({ refusal }) => refusal).length
    expect(await run('Add them')).toMatchObject(SUM)
    expect(JSON.stringify(served.requests.at(-1)!.asked)).toContain('[shortened to fit')
    expect(refused()).toBeLessThanOrEqual(1 + (provider.learns ?? 0))
    expect(new Set(served.requests.map(({ asked }) => JSON.stringify(asked))).size).toBeGreaterThan(3)
  })
})
