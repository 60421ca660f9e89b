import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { agent } from '../src/agent.ts'
import { wordCount } from '../tools/word-count.ts'

test('a tool by itself', async () => {
  expect(await wordCount.invoke({ text: 'To be, or not to be' })).toBe('6 words')
})

test('a task, as over HTTP, with the offline model', async () => {
  const { run } = await testService(agent)
  expect(await run('What is 15% of 240?')).toMatchObject({
    status: 'success',
    output: '15% of 240 = 36',
    metrics: { steps: 3 },
  })
})

test('a model that follows a script takes the place of yours', async () => {
  const call = { name: 'word_count', args: { text: 'one two' } }
  const model = new ScriptedModel([{ toolCalls: [call] }, 'Two words.'])
  const { run } = await testService(agent, { models: [model.named()] })
  const config = { system_prompt: 'Be brief.', enabled_tools: ['word_count'] }
  expect(await run('How many words are in "one two"?', config)).toMatchObject({ output: 'Two words.' })
  expect(model.requests[0]).toMatchObject({ tools: ['word_count'], messages: [{ text: 'Be brief.' }, {}] })
})

test('near the limit of steps the model answers without tools', async () => {
  const call = { name: 'word_count', args: { text: 'one two' } }
  const model = new ScriptedModel([{ toolCalls: [call] }, 'I know as much as this.'])
  const { run } = await testService(agent, { env: { MAX_STEPS: '3' }, models: [model.named()] })
  expect(await run('Count without end.')).toMatchObject({ output: 'I know as much as this.' })
  expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false])
})
