import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { expect, test } from 'vitest'
import { SUBAGENTS } from '../graph/graph.ts'
import { agent } from '../src/agent.ts'

test('a subagent does a part of the task, with the offline model', async () => {
  const { run } = await testService(agent)
  const reply = await run('Use ask_mathematician with {"task": "What is 15% of 240?"}')
  // The supervisor, its tool, the subagent, its tool, the subagent, the supervisor.
  expect(reply).toMatchObject({ status: 'success', output: '15% of 240 = 36', metrics: { steps: 6 } })
})

test('each is offered its own tools alone, and sees only what it is asked', async () => {
  const call = { name: 'ask_timekeeper', args: { task: 'What time is it in Tokyo?' } }
  const model = new ScriptedModel([{ toolCalls: [call] }, 'Noon.', 'It is noon there.'])
  const { run } = await testService(agent, { models: [model.named()] })
  expect(await run('Is it lunch time in Tokyo?')).toMatchObject({ output: 'It is noon there.' })
  const subagents = SUBAGENTS.map(({ name }) => `ask_${name}`)
  expect(model.requests.map(({ tools }) => tools)).toEqual([subagents, ['time'], subagents])
  expect(model.requests[1]?.messages.slice(1).map(({ text }) => text)).toEqual(['What time is it in Tokyo?'])
})
