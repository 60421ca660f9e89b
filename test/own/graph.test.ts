import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { afterPlan } from '../../graph/graph.ts'
import type { State } from '../../graph/state.ts'
import { agent } from '../../src/agent.ts'

const asking = new AIMessage({ content: '', tool_calls: [{ id: 'one', name: 'add', args: {} }] })

test.each<{ title: string; last: BaseMessage; wrapUp?: State['wrapUp']; next: string }>([
  { title: 'an answer', last: new AIMessage('Hello.'), next: 'respond' },
  { title: 'a tool call', last: asking, next: 'tool-call' },
  { title: 'a tool call that was not offered', last: asking, wrapUp: 'soft_deadline', next: 'respond' },
  { title: 'a message that is not from the model', last: new HumanMessage('Hi'), next: 'respond' },
  { title: 'a result', last: new ToolMessage('3', 'one'), next: 'respond' },
])('after the plan, $title leads to $next', ({ last, wrapUp, next }) => {
  // Keys of your own in the state need no value here.
  expect(afterPlan({ messages: [new HumanMessage('Hi'), last], wrapUp } as State)).toBe(next)
})

test('a task, as over HTTP: a model that follows a script takes the place of yours', async () => {
  const call = { name: 'calculator', args: { expression: '2+3' } }
  const model = new ScriptedModel([{ toolCalls: [call] }, 'It is 5.'])
  const { run } = await testService(agent, { models: [model.named()] })
  expect(await run('What is 2+3?')).toMatchObject({
    status: 'success',
    output: 'It is 5.',
    metrics: { steps: 3 },
  })
})
