import { expect, test, vi } from 'vitest'
import { warmUp } from '../../../../graph/model/offline-model/warm-up.ts'

const loaded = vi.hoisted(() => new Set<string>())
const seen = vi.hoisted(() => (name: string) => async (original: () => Promise<object>) => {
  loaded.add(name)
  return await original()
})
vi.mock('mathjs', seen('mathjs'))
vi.mock('gpt-tokenizer/GptEncoding', seen('gpt-tokenizer'))
vi.mock('temporal-polyfill', seen('temporal-polyfill'))
vi.mock('city-timezones', seen('city-timezones'))

test('the offline model waits for the service before loading what its first tasks need', async () => {
  expect([...loaded]).toEqual([])
  await warmUp()
  expect([...loaded].sort()).toEqual(['city-timezones', 'gpt-tokenizer', 'mathjs', 'temporal-polyfill'])
})
