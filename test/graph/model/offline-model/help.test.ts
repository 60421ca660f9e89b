import { tool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { declined, introduction } from '../../../../graph/model/offline-model/help.ts'
import { readQuestions } from '../../../../graph/model/offline-model/questions.ts'
import { calculator } from '../../../../tools/calculator.ts'
import { createTime } from '../../../../tools/time.ts'
import data from '../../../data/offline-questions.json' with { type: 'json' }
import { testService } from '../../../support/service.ts'

const TOOLS = ['calculator', 'time', 'web_search']
const found = tool(({ query }) => `Found ${query}.`, {
  name: 'web_search',
  description: 'Finds what was asked.',
  schema: z.object({ query: z.string() }),
})
const { run } = await testService({}, { tools: [calculator, createTime(), found] })

/** The quoted question that ends a refusal. */
const proposed = (text: string) => /Try "(.*)"$/.exec(text)?.[1] ?? ''

test.each([
  ...[
    'Hello',
    'hello!',
    'What can you do?',
    'Hi there! What can you do?',
    'Help',
    'Howdy!',
    'Can you help me?',
  ],
  ...[
    'Hi, how are you?',
    'What can you help me with?',
    'What are your capabilities?',
    'Good evening, what can I ask?',
  ],
])('answers %s with what it can do, and questions that work', async task => {
  const { status, output, metrics } = await run(task)
  expect({ status, steps: metrics?.steps }).toEqual({ status: 'success', steps: 1 })
  const [first, second, ...questions] = output.split('\n')
  expect(first).toContain('arithmetic')
  expect(second).toContain('OPENAI_API_KEY')
  expect(questions).toHaveLength(3)
  for (const question of questions) {
    expect(await run(question.replace('- ', ''))).toMatchObject({ status: 'success' })
  }
})

test('offers only what its tools can do', () => {
  expect(introduction('Hello', TOOLS)?.split('\n')).toHaveLength(5)
  expect(introduction('Hello', [])).toBeUndefined()
  expect(introduction('Hello', ['time'])).not.toContain('arithmetic')
  expect(proposed(declined('What is the capital of France?', TOOLS))).toContain('Search the web')
  expect(proposed(declined('What is the capital of France?', ['time']))).toBe('What time is it in Tokyo?')
  expect(declined('What is the capital of France?', [])).not.toContain('Try')
})

test.each([
  ['What is the weather?', 'What is the weather?'],
  ['What is 2+2 and who wrote Hamlet?', 'who wrote Hamlet?'],
  ['What is 2+2? Explain why.', 'Explain why.'],
  ['What time is it in Tokyo, and 3 apples? Thanks!', '3 apples?'],
  ['Add 5 and 3 and then multiply by 2', 'multiply by 2'],
])('about %j it names %j', (task, part) => {
  expect(declined(task, TOOLS)).toContain(`Not understood: "${part}".`)
})

test.each([
  ['What is 2+2 and who wrote Hamlet?', 'What is 2+2'],
  ['Search the web for Hono and summarize the results', 'Search the web for Hono'],
  ['And what is 2+2 and who wrote Hamlet?', 'what is 2+2'],
  ['Ok so .5 * 4 and why?', '.5 * 4'],
  ['Who wrote Hamlet? And what is 3+3?', 'what is 3+3'],
  ['What is 2+2, who wrote Hamlet? And what is 3+3?', 'What is 2+2'],
  ['Explain 2+2', '2+2'],
  ['2+2 in Python, please', '2+2'],
  ['How many days until Easter?', 'How many days until Christmas?'],
  ['convert 5 km', 'Convert 5 km to miles'],
  ['one and a half hours from now in Narnia', 'one and a half hours from now'],
  ['What time is it one and a half hours after lunch?', 'What time is it in Tokyo?'],
  ['convert 5 ft to in and explain', 'convert 5 ft to in'],
  ['What is the second derivative of x?', 'Search the web for second derivative of x'],
  ['difference between Tokyo and London', 'What is the time difference between Tokyo and London?'],
  ['Who was Ada Lovelace?', 'Search the web for Who was Ada Lovelace'],
])('for %j it suggests %j', (task, question) => {
  expect(proposed(declined(task, TOOLS))).toBe(question)
})

test('says which unit was meant, as the calculator would', () => {
  expect(declined('What is 5 NM in km?', TOOLS)).toContain('nmi for nautical miles. Try "')
  expect(declined('5 USD in EUR', TOOLS)).toContain('There are no exchange rates here')
})

test.each(data.refused)('suggestions for %j work', task => {
  expect(readQuestions(proposed(declined(task, TOOLS)))).toBeDefined()
})

test('declines a text that is too long, and one with too many questions, and says so', () => {
  for (const many of [1000, 400, 13])
    expect(declined('2+2? '.repeat(many), TOOLS)).toMatch(/^The text is empty or too long\./)
  expect(declined(`2+2 and ${'a'.repeat(500)}`, TOOLS).length).toBeLessThan(200)
})
