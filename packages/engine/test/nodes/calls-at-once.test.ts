import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { expect, test } from 'vitest'
import type { Limits } from '../../limits.ts'
import { createModel } from '../../model/model-with-fallbacks.ts'
import { Run } from '../../run/run.ts'
import { guardTool } from '../../tool-rules/guarded-tools.ts'

function begin(limits: Partial<Limits>, reply: ScriptedReply = 'Done.') {
  const all = { timeoutMs: 60_000, answerByMs: 60_000, maxSteps: 10, ...limits }
  const run = new Run({ limits: all, arrivedAt: performance.now() })
  const scripted = new ScriptedModel(() => reply)
  return { run, scripted, model: createModel([scripted.named()]) }
}

/** Why the run ended. */
const ending = (run: Run) => run.controller.aborted.catch((reason: { reason?: string }) => reason.reason)

test('calls that begin together stay within the steps', async () => {
  const { run, scripted, model } = begin({ maxSteps: 2 })
  for (const text of ['one', 'two', 'three']) model.invoke(text, run.config()).catch(() => undefined)
  expect(await ending(run)).toBe('max_steps')
  await scripted.asked(2)
  expect(run.meter.steps).toBe(2)
})

test('a tool that the budget refuses never starts', async () => {
  const { run } = begin({ maxSteps: 1 })
  const used: string[] = []
  const tools = ['first', 'second'].map(name => guardTool(tool(name, () => void used.push(name))))
  for (const one of tools) one.invoke({}, run.config()).catch(() => undefined)
  expect(await ending(run)).toBe('max_steps')
  expect(used).not.toContain('second')
})

test('calls that begin together share what is left of a cap', async () => {
  const { run, scripted, model } = begin(
    { maxOutputTokens: 10 },
    { text: 'Done.', usage: { input: 5, output: 4 } },
  )
  await Promise.all(['one', 'two'].map(text => model.invoke(text, run.config())))
  expect(scripted.requests.map(({ maxTokens }) => maxTokens)).toEqual([10, 6])
  expect(run.meter.usage).toEqual({ inputTokens: 10, outputTokens: 8, steps: 2 })
})

test('calls without a cap run in parallel', async () => {
  const both = Promise.withResolvers<void>()
  const { run, scripted, model } = begin({}, { text: 'Done.', after: both.promise })
  const calls = ['one', 'two'].map(text => model.invoke(text, run.config()))
  await scripted.asked(2)
  both.resolve()
  expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(['Done.', 'Done.'])
})

test('a call with its own callbacks and signal counts in the run, and ends with it', async () => {
  const { run, scripted, model } = begin({}, { text: 'late', after: new Promise(() => {}) })
  const own = new AbortController()
  const call = model.invoke('one', { ...run.config(), callbacks: [], signal: own.signal })
  await scripted.asked(1)
  expect(run.meter.steps).toBe(1)
  run.controller.abort(new Error('over') as never)
  await expect(call).rejects.toThrow('over')
})
