import { createModels } from '@agent-task-service/starter/models'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { expect, test, vi } from 'vitest'
import { warmUp } from '../process/warm-up.ts'

const loaded = vi.hoisted(() => new Set<string>())
const seen = vi.hoisted(() => (name: string) => async (original: () => Promise<object>) => {
  loaded.add(name)
  return await original()
})
vi.mock('mathjs', seen('mathjs'))
vi.mock('gpt-tokenizer/GptEncoding', seen('gpt-tokenizer'))
vi.mock('temporal-polyfill', seen('temporal-polyfill'))
vi.mock('city-timezones', seen('city-timezones'))
vi.mock('@pydantic/genai-prices', seen('genai-prices'))

const MODEL = { OPENAI_API_KEY: 'key', MODEL: 'gpt-5-mini' }

test('a model of an endpoint: its price, and the calculator if it is offered', async () => {
  const config = readConfig(MODEL)
  const entries = await createModels(config.model)
  await warmUp(agent, config, [], ['time'])
  expect([...loaded]).toEqual([])
  await warmUp(agent, config, entries, ['calculator', 'time'])
  expect([...loaded]).toEqual(['genai-prices', 'mathjs'])
})

test('a price that fails is left to the first task', async () => {
  const create = () => expect.unreachable()
  const entries = [
    { name: 'rejects', create, price: vi.fn(() => Promise.reject(new Error('no'))) },
    { name: 'throws', create, price: vi.fn(() => expect.unreachable()) },
    { name: 'has none', create },
    { name: 'last', create, price: vi.fn(async () => undefined) },
  ]
  await warmUp(agent, readConfig(MODEL), entries, [])
  for (const { price } of entries) if (price) expect(price).toHaveBeenCalledOnce()
})

test('the offline model: its tokenizer, and the tools that it calls', async () => {
  await warmUp(agent, readConfig({}), [], ['calculator', 'time'])
  expect([...loaded].sort()).toEqual([
    'city-timezones',
    'genai-prices',
    'gpt-tokenizer',
    'mathjs',
    'temporal-polyfill',
  ])
})
