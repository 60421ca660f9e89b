import { expect, test } from 'vitest'
import { declined, introduction } from '../../../../graph/model/offline-model/help.ts'
import { testService } from '../../../support/service.ts'

const { run } = await testService()

test.each([
  'Hello',
  'Hi there! What can you do?',
  'Help',
  'Hi, how are you?',
  'What are your capabilities?',
  'Thanks',
  'Who are you?',
  'bye',
  'test',
  'which model are you?',
])('answers %s with what it can do', async task => {
  const { status, output, metrics } = await run(task)
  expect({ status, steps: metrics?.steps }).toEqual({ status: 'success', steps: 1 })
  expect(output).toMatch(
    /^I am the offline model\. I do arithmetic.*\nFor everything else, set OPENAI_API_KEY\./,
  )
})

test('suggests questions that work', async () => {
  const [, , ...questions] = introduction('Hello', ['calculator', 'time'])!.split('\n')
  expect(questions).toHaveLength(2)
  for (const question of questions)
    expect(await run(question.replace('- ', ''))).toMatchObject({ status: 'success' })
})

test.each([
  ['What is 2+2 and who wrote Hamlet?', 'and who wrote Hamlet?'],
  ['is 97 prime', 'is 97 prime'],
  ['What is 2+2? Explain why.', 'Explain why.'],
])('%s: says that it did not understand %j', async (task, part) => {
  expect(await run(task)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(`it did not understand "${part}"`),
  })
})

test('quotes the beginning of a long text', () => {
  expect(declined('what is it '.repeat(100)).length).toBeLessThan(320)
})
