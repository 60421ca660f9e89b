import type { ModelEntry, ModelSettings } from '@agent-task-service/engine'
import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'

type Create = (model: Extract<ModelSettings, { models: unknown }>['models'][number]) => ModelEntry['create']

const SETTINGS = {
  OPENAI_API_KEY: 'any-key-at-all',
  FALLBACK_MODEL: 'other',
  TEMPERATURE: '0.2',
  MODEL_PARAMS: '{"top_p":0.5,"stream_options":null}',
  FALLBACK_PARAMS: '{"reasoning":{"effort":"low"}}',
}
const ALL = ['TEMPERATURE', 'MODEL_PARAMS', 'FALLBACK_PARAMS']

/** The variables that a service warns of whose models are made like that. */
async function warnedOf(create: Create, env: object = SETTINGS) {
  const models: typeof agent.models = async settings =>
    settings.provider === 'offline'
      ? []
      : settings.models.map(model => ({ name: model.name, create: create(model) }))
  const { lines } = await testService({ ...agent, models }, { env: { ...env }, tools: [] })
  return lines.map(
    ({ msg }) => /^(\w+) is set, but graph\/models\.ts does not use it$/.exec(String(msg))?.[1],
  )
}

const openAI = (fields: object) => new ChatOpenAI({ model: 'm', apiKey: 'any', maxRetries: 0, ...fields })

test('the list that ships has all settings', async () => {
  expect((await testService(agent, { env: SETTINGS, tools: [] })).lines).toEqual([])
  const removed = { ...SETTINGS, MODEL_PARAMS: '{"stream_options":null}' }
  expect((await testService(agent, { env: removed, tools: [] })).lines).toEqual([])
})

test.each<[what: string, create: Create, unused: string[]]>([
  ['none', () => openAI, ALL],
  ['a temperature of its own', () => cap => openAI({ temperature: 0.7, ...cap }), ALL],
  [
    'the temperature',
    ({ temperature }) =>
      cap =>
        openAI({ temperature, ...cap }),
    ALL.slice(1),
  ],
  [
    'the members',
    ({ params }) =>
      cap =>
        openAI({ modelKwargs: params, ...cap }),
    ['TEMPERATURE'],
  ],
  [
    'one of them, under another name',
    ({ params }) =>
      ({ maxTokens }) =>
        new ChatOllama({
          model: 'm',
          maxRetries: 0,
          topP: params?.top_p as number,
          ...(maxTokens && { numPredict: maxTokens }),
        }),
    ['TEMPERATURE', 'FALLBACK_PARAMS'],
  ],
])('an own list that takes %s', async (_what, create, unused) => {
  expect(await warnedOf(create)).toEqual(unused)
})

test('what is not set is not missed', async () => {
  const env = { OPENAI_API_KEY: 'any-key-at-all', MODEL_PARAMS: '{}' }
  expect(await warnedOf(() => openAI, env)).toEqual([])
})

// EVIDENCE-OF docs/guides/operations.md: | `… is not read: …` |
test("another provider's key gets a line while the agent is offline, unless somebody wants it so", async () => {
  const keys = { ANTHROPIC_API_KEY: 'sk-ant-of-nobody', GROQ_API_KEY: ' ' }
  const told = async (env: Record<string, string>, definition = agent) => {
    const { lines } = await testService(definition, { env: { ...keys, ...env }, tools: [] })
    return lines.map(({ msg }) => String(msg)).filter(msg => msg.includes('is not read'))
  }
  expect(await told({})).toEqual([
    'ANTHROPIC_API_KEY is not read: OPENAI_API_KEY is the key of any provider; see docs/guides/models.md',
  ])
  expect(await told({ MODEL_PROVIDER: 'offline' })).toEqual([])
  expect(await told({ OPENAI_API_KEY: 'any-key-at-all' })).toEqual([])
  const models: typeof agent.models = async () => [{ name: 'own', create: openAI }]
  expect(await told({}, { ...agent, models })).toEqual([])
})
