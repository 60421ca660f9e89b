import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { agent } from '../src/agent.ts'

test('a task, as over HTTP, with the offline model', async () => {
  const { run } = await testService(agent)
  expect(await run('What is 15% of 240?')).toMatchObject({ status: 'success', output: '15% of 240 = 36' })
})

test('near a limit the middleware asks for an answer, without tools', async () => {
  const call = { name: 'calculator', args: { expression: '1 + 1' } }
  const model = new ScriptedModel([{ toolCalls: [call] }, 'Two.'])
  const { run } = await testService(agent, { models: [model.named()], env: { MAX_STEPS: '4' } })
  expect(await run('What is 1 + 1?')).toMatchObject({ output: 'Two.', metrics: { steps: 3 } })
  expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false])
  expect(model.requests[1]?.messages.at(-1)?.text).toContain('No tool can be called any more')
})
