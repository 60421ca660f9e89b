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

describe('served', () => {
  test.each(
    some(
      served.filter(({ value }) => value !== undefined),
      3,
    ),
  )('$question', async ({ question, value = 0, unit = '' }) => {
    const { status, output } = await service.run(question)
    expect(status).toBe('success')
    const [, digits = '', rest] = /^.* = (-?[\d.,]+(?:e[+-]?\d+)?)(.*)$/m.exec(output) ?? []
    const error = Math.abs(Number(digits.replaceAll(',', '')) - value)
    expect(error, output).toBeLessThanOrEqual(1e-12 * Math.abs(value))
    expect(rest?.startsWith(unit), output).toBe(true)
  })

  const asked = served.filter(({ calls }) => calls)

  test.each(asked)('$question: its calls', ({ question, calls }) => {
    expect(readQuestions(question)).toEqual(calls)
  })

  test.each(some(asked, 3))('$question', async ({ question, calls = [] }) => {
    const { status, output, metrics } = await service.run(question)
    expect({ status, output, steps: metrics?.steps }).toEqual({
      status: 'success',
      output: expect.not.stringMatching(
        /could not be done|_zones?\b|"(?:zones|start|end|time|duration)"|operation/i,
      ),
      steps: calls.length + 2,
    })
  })

  test.each(served.filter(({ answer }) => answer !== undefined))(
    '$question',
    async ({ question, answer }) => {
      expect(await service.run(question)).toMatchObject({ status: 'success', output: answer })
    },
  )
})

describe('refused', () => {
  test.each(data.refused)('%s: not read', question => {
    expect(readQuestions(question)).toBeUndefined()
  })

  test.each(some(data.refused, 3))('%s', async question => {
    expect(await service.run(question)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^the offline model can only .*; set OPENAI_API_KEY/),
    })
  })
})

test.each([
  [
    'How many hours are there between tonight and 2027-01-01?',
    '"tonight" has no time of day: write "8 tonight".',
  ],
  ['How many hours until 30 February?', '2026-02-30 does not exist: February 2026 has 28 days.'],
])('%s: the tool refuses it, in words that quote only the question', async (question, refusal) => {
  expect(await service.run(question)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(refusal),
  })
})

test.each([
  'quarter to 9 tonight in Paris',
  'a quarter to 9 tonight',
  'quarter before 9 tonight',
  'When is a quarter before 9 tonight?',
  'What time is a quarter after 9pm?',
  'hour before 9 tonight',
  'day before Christmas',
  'How many hours between 1900 and 2030?',
])('%s: an hour or a day, not a count of units', question => {
  expect(readQuestions(question)).toBeUndefined()
})

test.each([
  ['How many quarters until 2028-01-01?', { operation: 'difference', start: 'today', end: '2028-01-01' }],
  ['Tokyo time', { operation: 'now', zones: ['Tokyo'] }],
  ['What time zone is Tokyo in?', { operation: 'now', zones: ['Tokyo'] }],
  ['When do the clocks change in London?', { operation: 'difference', start: 'London', end: 'UTC' }],
  ['How many days until 2030?', { operation: 'difference', start: 'today', end: 'year 2030' }],
  ['How long is 9am to 5:30pm?', { operation: 'difference', start: '9am', end: '5:30pm' }],
  [
    'I was born on 29 February 2000. How old am I?',
    { operation: 'difference', start: '29 February 2000', end: 'today' },
  ],
  ['Is 2028 a leap year?', { operation: 'weekday', time: 'last day of 2028' }],
  ['How many days are there in February 2028?', { operation: 'weekday', time: 'last day of February 2028' }],
  [
    'How many days are left in the year?',
    { operation: 'difference', start: 'today', end: 'last day of the year' },
  ],
  [
    'What is the first Monday of September 2026?',
    { operation: 'weekday', time: 'first Monday of September 2026' },
  ],
  ['current unix timestamp', { operation: 'difference', start: '@0', end: 'now' }],
  [
    'Convert unix timestamp 1700000000 to UTC',
    { operation: 'convert', time: '@1700000000', to_zones: 'UTC' },
  ],
  [
    'half past eight pm in London in Tokyo',
    { operation: 'convert', time: 'half past eight pm in London', to_zones: ['Tokyo'] },
  ],
  ['How many days from Monday to Friday?', { operation: 'difference', start: 'Monday', end: 'Friday' }],
  ['hours until noon tomorrow', { operation: 'difference', start: 'now', end: 'noon tomorrow' }],
  [
    'What date is 1 quarter after 2026-01-01?',
    { operation: 'add', time: '2026-01-01', duration: '1 quarter' },
  ],
  ['an hour before 9 tonight', { operation: 'add', time: '9 tonight', duration: '-an hour' }],
  ['What day is tonight?', { operation: 'weekday', time: 'tonight' }],
  ['What is the date tomorrow night?', { operation: 'weekday', time: 'tomorrow night' }],
  [
    'next Friday at 8:30 pm in Paris in Tokyo',
    { operation: 'convert', time: 'next Friday at 8:30 pm in Paris', to_zones: ['Tokyo'] },
  ],
  [
    'Next, next Friday at noon in Paris in Tokyo',
    { operation: 'convert', time: 'next Friday at noon in Paris', to_zones: ['Tokyo'] },
  ],
])('%s: the words that the time tool is given', (question, args) => {
  expect(readQuestions(question)).toEqual([{ tool: 'time', args }])
})
