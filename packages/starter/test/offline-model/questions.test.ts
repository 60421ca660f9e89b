import { calculator, createTime } from '@agent-task-service/test-support/agent/tools'
import { testService } from '@agent-task-service/test-support/service'
import { tool } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { callsOf } from './calls.ts'

const found = tool(({ query }) => `Found ${query}.`, {
  name: 'web_search',
  description: 'Finds what was asked.',
  schema: z.object({ query: z.string() }),
})
/** 2026-11-20 12:00 UTC. */
const time = createTime(() => Date.UTC(2026, 10, 20, 12))
const { run } = await testService({}, { tools: [calculator, time, found] })

test.each([
  ['What is 15% of 240?', 36],
  ['What’s 240 + 15%?', 276],
  ['10 percent of 50 plus 3', 8],
  ['12*12 = ?', 144],
  ['5x3', 15],
  ['2**8', 256],
  ['(1 + 2) × (3 + 4)', 21],
  ['Compute (3 + 4) * 5 - 6 / 4.', 33.5],
  ['What is -7.25 + 3.5?', -3.75],
  ['What is 1,000 divided by 8 minus 3?', 122],
  ['Please calculate nineteen times twenty-three.', 437],
  ['How much is 12 * 12?', 144],
  ['What is the square root of 1764?', 42],
  ['What is 2 to the power of 40?', 1_099_511_627_776],
  ['-2 to the power of 4', 16],
  ['What is 10 factorial?', 3_628_800],
  ['What is the average of 4, 8, 15, 16, 23 and 42?', 18],
  ['What is the greatest common divisor of 84 and 126?', 42],
  ['What is the sine of 30 degrees?', 0.5],
  ['What is 20% off 150?', 120],
  ['Round 2.71828 to 2 decimal places.', 2.72],
  ['What is the percentage change from 50 to 75?', 50, '%'],
  ['Convert 8.04672 km to miles.', 5, ' mile'],
  ['What is 100 degrees Celsius in Fahrenheit?', 212, ' '],
  ['Convert 160.9344 kilometers per hour to miles per hour.', 100, ' mile'],
  ['How many grams are in 12 ounces?', 340.1942775, ' grams'],
  ['How many metres are in a mile?', 1609.344, ' metres'],
  ['How many kilometres are 26.2 miles?', 42.1648128, ' kilometres'],
])('%s is %d%s', async (question, value, unit = '') => {
  const { output } = await run(question)
  const [, number, rest = ''] = /^.* [=≈] (-?[\d.]+)(.*)$/m.exec(output) ?? []
  expect(Number(number)).toBeCloseTo(value, 9)
  expect(rest.slice(0, unit.length)).toBe(unit)
})

describe('asks the tools', () => {
  const calculation = (expression: string) => ({ tool: 'calculator', args: { expression } })
  const timing = (operation: string, args = {}) => ({ tool: 'time', args: { operation, ...args } })
  const now = (...to_zones: string[]) => timing('now', { to_zones })
  const difference = (start: string, end: string) => timing('difference', { time: start, end })
  const search = (query: string) => ({ tool: 'web_search', args: { query } })

  // EVIDENCE-OF README.md: Without one, an embedded offline model does arithmetic, units, times and dates.
  test.each([
    ['What time is it?', timing('now')],
    ['What is today’s date?', timing('now')],
    ['What time is it in São Paulo?', now('São Paulo')],
    ['What is the time in New York and London?', now('New York', 'London')],
    ['What time is it in Trinidad and Tobago?', now('Trinidad and Tobago')],
    ['What time is it in Portland, Oregon?', now('Portland, Oregon')],
    [
      'When it is 15:00 on 2026-01-15 in Tokyo, what time is it in Berlin?',
      timing('convert', { time: '15:00 on 2026-01-15', zone: 'Tokyo', to_zones: ['Berlin'] }),
    ],
    [
      'What time is it in Tokyo when it is noon in Lisbon?',
      timing('convert', { time: 'noon', zone: 'Lisbon', to_zones: ['Tokyo'] }),
    ],
    ['What day of the week was 4 July 1776?', timing('convert', { time: '4 July 1776' })],
    ['How many days is it from 2026-01-31 to 2026-03-01?', difference('2026-01-31', '2026-03-01')],
    [
      'How many days are there between 1 March and 24 December 2026?',
      difference('1 March 2026', '24 December 2026'),
    ],
    ['What date is 45 days after 2026-03-01?', timing('add', { time: '2026-03-01', duration: '45 days' })],
    ['Search the web for LangGraph.', search('LangGraph')],
    ['Search the web for "rock and roll"', search('rock and roll')],
    ['What is 15% of 240, and 2 + 2?', calculation('15% of 240'), calculation('2 + 2')],
    [
      'What is 6 * 7? How many metres are in a mile; what time is it in Paris and compute 2 + 2.',
      calculation('6 * 7'),
      calculation('1 mile to metres'),
      now('Paris'),
      calculation('2 + 2'),
    ],
    ['Search the web for LangGraph and what is 2+2?', search('LangGraph'), calculation('2+2')],
  ])('%s', async (question, ...calls) => {
    expect(await callsOf(question)).toEqual(calls)
    expect(await run(question)).toMatchObject({
      status: 'success',
      output: expect.not.stringContaining('could not be done'),
      metrics: { steps: calls.length + 2 },
    })
  })
})

test.each([
  ['What is 48 * 52? Answer with the number only.', '2496'],
  ['What is 10/4? Reply with just the number.', '2.5'],
])('%s: the bare value', async (question, output) => {
  expect(await run(question)).toMatchObject({ status: 'success', output })
})

const DECLINED = `
Hello|Please|5|5 km|Time|2026-03-01|555-1234|1-800-555-1234|4111-1111-1111-1111|12/31/2026|0x10 + 1|1.2.3 + 1
- 2+2|2+2=5|Is 2+2=4?|Calculate 5*3!|What is 2 + ?|2+2 apples|2+2 in Python|2+2 日本|{"expression": "2+2"}|print(2+2)
What is the average of 3 and 4, and 5?|What is the sum of 3 and 4 times 5?|What is 15% of my salary?|is 97 prime
What is 15% of 240 and then add 10?|What is 15% of 240, in words?|convert 5 km|convert km to miles|100 in binary
I have 5 apples and eat 2, how many are left?|If a train travels 60 miles in 2 hours, what is its speed?
A shirt costs $40 and is 20% off. What is the price?|How many days in the office this week?|Explain 2+2
What is the capital of France?|Write a poem|What is the weather in Tokyo?|What time is the meeting?
What time is it in Moscow, Idaho and Tokyo?|What time is it in Antigua and Barbuda and Peru?|Meet me at 3pm in London
What day of the week was Easter?|How many days are there between the lines and the words?|When did World War 2 end?
Search the web for LangGraph and summarize the results|Search the web for this error|Search the web
Search the web for cats. Summarize the results|Search the web for K2. Answer with the number only.|Search the web for the largest number in this list: 1, 2
`
test.each(DECLINED.trim().split(/[|\n]/))('%s: declined in one sentence', async question => {
  expect(await run(question)).toMatchObject({
    status: 'error',
    error: expect.stringMatching(
      /^the offline model can only .*Use <tool> with <JSON>.*"; set OPENAI_API_KEY for everything else$/s,
    ),
  })
})

test.each([
  ['What is 2+2 and who wrote Hamlet?', 'What is 2+2 and who wrote Hamlet?'],
  ['What is 2+2, and who wrote Hamlet?', 'who wrote Hamlet'],
  ['What is 2+2? Explain why.', 'Explain why'],
  ['who is it '.repeat(500), `${'who is it '.repeat(8).slice(0, 79)}…`],
])('%s: says what it did not understand', async (task, part) => {
  expect(await run(task)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(`it did not understand "${part}"`),
  })
})

test.each([
  ['1/0', 'calculator could not do this: .*zero'],
  ['What time is it in Narnia?', 'time could not do this: .*Narnia'],
  ['What is 20 dollars in euros?', 'calculator could not do this: .*euros'],
  ['What time is it in London, Paris?', 'time could not do this: .*London, Paris'],
])('%s: the tool says what is wrong with it', async (question, reason) => {
  expect(await run(question)).toMatchObject({
    status: 'error',
    error: expect.stringMatching(new RegExp(reason, 'i')),
  })
})

test('a text may hold a dozen questions, but not more', async () => {
  const ask = (count: number) =>
    callsOf(Array.from({ length: count }, (_, at) => `What is ${at} + 1?`).join(' '))
  expect(await ask(12)).toHaveLength(12)
  await expect(ask(13)).rejects.toThrow('it did not understand "What is 12 + 1"')
})
