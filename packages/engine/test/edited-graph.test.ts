import { ScriptedModel } from '@agent-task-service/engine/testing'
import { respond } from '@agent-task-service/test-support/agent/graph'
import { testService } from '@agent-task-service/test-support/service'
import { type AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { FakeLLM } from '@langchain/core/utils/testing'
import { expect, test } from 'vitest'
import { createModel } from '../model/model-with-fallbacks.ts'
import type { RunEvent } from '../run/events.ts'
import { Run } from '../run/run.ts'

const limits = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10 }

test.each<[string, BaseMessage[]]>([
  ['a task alone', [new HumanMessage('Hi')]],
  ['nothing', []],
])('respond asks for an answer if a router led to it with %s, and blames no limit', async (_, messages) => {
  const model = new ScriptedModel(['Hello.'])
  const node = respond({
    model: createModel([model.named()]),
    tools: [],
    systemPrompt: 'Be brief.',
    limits,
  })
  const run = new Run({ limits, arrivedAt: performance.now() })
  const update = await (node as (state: object, config: object) => Promise<{ messages: AIMessage[] }>)(
    { messages },
    run.config(),
  )
  expect(update.messages.map(({ text }) => text)).toEqual(['Hello.'])
  expect(model.requests[0]?.messages.map(({ text }) => text)).toEqual([
    'Be brief.',
    ...messages.map(({ text }) => text),
  ])
  expect(run.meter.wrapUp).toBeUndefined()
})

test('a text-completion model counts like any other', async () => {
  const events: RunEvent[] = []
  const run = new Run({ limits, arrivedAt: performance.now(), watch: event => void events.push(event) })
  await new FakeLLM({ response: 'old style' }).invoke('Hi', run.config())
  expect(events.map(({ type }) => type)).toEqual(['model_started', 'text', 'model_finished'])
  expect(run.meter.usage).toMatchObject({
    steps: 1,
    outputTokens: expect.toSatisfy((count: number) => count > 0),
  })
})

test('a bug in a chat class is not a network fault: one try, and the log names it', async () => {
  const model = new ScriptedModel([new TypeError("Cannot read properties of undefined (reading 'text')")])
  const { run, lines } = await testService({}, { models: [model.named()] })
  expect(await run('Hello')).toMatchObject({ status: 'error', error: 'the model call failed' })
  expect(model.requests).toHaveLength(1)
  expect(lines.at(-1)).toMatchObject({ level: 'error', stop: 'internal', err: { name: 'TypeError' } })
})
