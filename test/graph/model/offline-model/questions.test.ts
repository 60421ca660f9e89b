import { tool } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readQuestions } from '../../../../graph/model/offline-model/questions.ts'
import { calculator } from '../../../../tools/calculator.ts'
import { createTime } from '../../../../tools/time.ts'
import data from '../../../data/offline-questions.json' with { type: 'json' }
import { some } from '../../../support/at-length.ts'
import { testService } from '../../../support/service.ts'

interface Served {
  readonly question: string
  /** Computed by offline-questions.py, with the unit that follows it. */
  readonly value?: number
  readonly unit?: string
  readonly calls?: readonly { readonly tool: string; readonly args: unknown }[]
  /** The whole answer. */
  readonly answer?: string
}
const served = data.served as readonly Served[]

const found = tool(({ query }) => `Found ${query}.`, {
  name: 'web_search',
  description: 'Finds what was asked.',
  schema: z.object({ query: z.string() }),
})
/** 2026-11-20 12:00 UTC. */
const time = createTime(() => Date.UTC(2026, 10, 20, 12))
const service = await testService({}, { tools: [calculator, time, found] })

const numbers = served.filter(({ value }) => value !== undefined)
test.each(some(numbers, 3))('$question is $value$unit', async ({ question, value = 0, unit = '' }) => {
  const { status, output } = await service.run(question)
  expect(status).toBe('success')
  const [, digits = '', rest] = /^.* [=≈] (-?[\d.,]+(?:e[+-]?\d+)?)(.*)$/m.exec(output) ?? []
  const error = Math.abs(Number(digits.replaceAll(',', '')) - value)
  expect(error, output).toBeLessThanOrEqual(1e-12 * Math.abs(value))
  expect(rest?.startsWith(unit), output).toBe(true)
})

describe('asks the tools', () => {
  const asked = served.filter(({ calls }) => calls)
  test.each(asked)('$question', async ({ question, calls }) => {
    expect(await readQuestions(question)).toEqual(calls)
  })

  test.each(some(asked, 3))('$question: each answers', async ({ question, calls = [] }) => {
    expect(await service.run(question)).toMatchObject({
      status: 'success',
      output: expect.not.stringContaining('could not be done'),
      metrics: { steps: calls.length + 2 },
    })
  })
})

const answers = served.filter(({ answer }) => answer !== undefined)
test.each(answers)('$question: the bare value', async ({ question, answer }) => {
  expect(await service.run(question)).toMatchObject({ status: 'success', output: answer })
})

test.each(data.refused)('%s: declined in one sentence', async question => {
  expect(await service.run(question)).toMatchObject({
    status: 'error',
    error: expect.stringMatching(/^the offline model can only .*"; set OPENAI_API_KEY for everything else$/s),
  })
})

test.each([
  ['How many hours until 30 February 2027?', 'time could not do this: .*2027-02'],
  ['1/0', 'calculator could not do this: .*zero'],
  ['What is 10 divided by 0?', 'calculator could not do this: .*zero'],
])('%s: the tool says what is wrong with it', async (question, reason) => {
  expect(await service.run(question)).toMatchObject({
    status: 'error',
    error: expect.stringMatching(new RegExp(reason, 'i')),
  })
})

test('a list may be long, and a text may hold a dozen questions, but not more', async () => {
  const list = Array.from({ length: 20 }, (_, at) => at + 1).join(', ')
  expect(await readQuestions(`What is the average of ${list} and 30?`)).toHaveLength(1)
  const ask = (count: number) =>
    readQuestions(Array.from({ length: count }, (_, at) => `What is ${at} + 1?`).join(' '))
  expect(await ask(12)).toHaveLength(12)
  expect(await ask(13)).toHaveProperty('unread')
})
