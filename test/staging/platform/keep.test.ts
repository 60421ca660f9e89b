import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { plantSecrets, startOwnAgent } from '../../../staging/agents/own-agent.ts'
import { type ToldRuns, toldRuns } from '../../../staging/agents/told-runs.ts'
import type { KeptTask, RunRecord } from '../../../staging/api.ts'
import { judge } from '../../../staging/tasks/judge.ts'
import { readTasks } from '../../../staging/tasks/read-tasks.ts'
import { freePort } from '../../support/free-port.ts'
import { asks, call, says } from '../../support/openai-replies.ts'
import { inTurn, openAIServer } from '../../support/openai-server.ts'
import { errorIn, testPlatform } from '../../support/platform.ts'
import { PROCESS_ENTRY } from '../../support/process.ts'
import { openRecording } from '../../support/recording.ts'
import { replies, scriptedAgent, success } from '../../support/scripted-agent.ts'
import { testService } from '../../support/service.ts'
import { newFile } from '../new-file.ts'

const QUESTION = 'What is 15% of 240, in words?'
const KEY = 'sk-proj-Rk7dWq92LmZx04TbVn'

/** A platform with this project's agent, whose model follows a script. */
async function ownAgent(told?: ToldRuns) {
  const usage = { prompt_tokens: 50, completion_tokens: 9, total_tokens: 59 }
  const server = await openAIServer(
    inTurn(
      asks([call('calculator', { expression: '15% of 240' })], { usage }),
      says(`Thirty-six, by ${KEY}.`, { usage }),
      says('Sorry.', { usage }),
    ),
  )
  const port = await freePort()
  const variables = { ...server.env, MODEL_PRICE: '{"input":1,"output":10}', TEST_PORT: String(port) }
  const agent = await startOwnAgent(plantSecrets({ PATH: process.env.PATH, ...variables }), {
    ...{ logFile: await newFile('agent.log'), url: `http://127.0.0.1:${port}`, entry: PROCESS_ENTRY, told },
  })
  onTestFinished(async () => void (await agent.process.end()))
  const keepFolder = await newFile('recordings')
  const platform = testPlatform({ agents: [{ ...agent, id: 'agent-7' }], keepFolder })
  const keep = (id: number, body: object) =>
    platform.call(`/api/runs/${id}/keep`, { method: 'POST', body: JSON.stringify(body) })
  return { ...platform, keep, keepFolder, model: server.env.MODEL }
}

test('a run of the own agent keeps its model calls, and becomes a test that replays without a model', async () => {
  const { run, get, keep, keepFolder, model } = await ownAgent(toldRuns())
  const config = { enabled_tools: ['calculator'] }
  // Not a stream: the agent tells of its runs itself.
  await run({ task_id: 'test-1', input: QUESTION, config })
  await expect.poll(async () => (await get<RunRecord>('/api/runs/1')).events.length).toBeGreaterThan(0)
  const record = await get<RunRecord>('/api/runs/1')
  expect(record).toMatchObject({ costUsd: expect.closeTo(0.00028), costEstimated: false })
  const [first, second] = record.events.filter(({ type }) => type === 'model_started')
  expect(first!.data.sent).toMatchObject({ follows: 0, messages: [{ role: 'system' }, { text: QUESTION }] })
  expect(second!.data.sent).toMatchObject({
    follows: 2,
    messages: [
      { role: 'assistant', tool_calls: [{ name: 'calculator', arguments: '{"expression":"15% of 240"}' }] },
      { role: 'tool', text: '15% of 240 = 36' },
    ],
  })
  expect(record.events.findLast(({ type }) => type === 'model_finished')!.data.answer).toEqual({
    role: 'assistant',
    text: 'Thirty-six, by [redacted].',
  })
  expect(JSON.stringify(record)).not.toContain(KEY)

  const kept = await keep(1, { name: 'in-words', expect: { contains: 'thirty-six' } })
  const files = { tasks: join(keepFolder, 'tasks.yaml'), recording: join(keepFolder, 'in-words.json') }
  expect(await kept.json()).toEqual(files)
  const { tasks } = await readTasks(files.tasks)
  expect(tasks).toMatchObject([{ name: 'in-words', input: QUESTION, config }])

  const { env, close } = await openRecording('in-words', { model, folder: keepFolder })
  const reply = await (await testService(env)).run(QUESTION, config)
  await close()
  expect(judge(tasks[0]!.expect, reply, { from: new Date(), to: new Date() })).toEqual([])
  expect(reply.metrics).toMatchObject({ input_tokens: 100, output_tokens: 18, steps: 3 })

  // An expectation that the run did not meet is a task without a recording.
  await run({ task_id: 'test-1', input: 'Again?' })
  await expect.poll(async () => (await get<RunRecord>('/api/runs/2')).events.length).toBeGreaterThan(0)
  const wrong = (await (await keep(2, { name: 'again', expect: { equals: 'Yes.' } })).json()) as KeptTask
  expect(wrong).toMatchObject({ recording: null, unrecorded: 'expected the text "Yes.", got "Sorry."' })
  expect(await readdir(keepFolder)).toEqual(['in-words.json', 'tasks.yaml'])
  expect((await readTasks(files.tasks)).tasks.map(({ name }) => name)).toEqual(['in-words', 'again'])
})

test('an agent that is not asked keeps nothing of its model calls', async () => {
  const { run, get, keep } = await ownAgent()
  const stream = { headers: { accept: 'text/event-stream' } }
  await (await run({ task_id: 'test-1', input: QUESTION }, stream)).text()
  const { events } = await get<RunRecord>('/api/runs/1')
  expect(events.at(-1)).toMatchObject({ type: 'run_finished', data: { cost_usd: expect.any(Number) } })
  expect(JSON.stringify(events)).not.toMatch(/"sent"|"answer"/)
  const kept = await keep(1, { name: 'not-recorded', expect: { contains: 'thirty' } })
  expect(await kept.json()).toMatchObject({
    recording: null,
    unrecorded: 'what its model calls were sent was not kept',
  })
})

test('a task of any agent can be kept, with what is wrong said and nothing written', async () => {
  const agent = await scriptedAgent(replies(success))
  const keepFolder = await newFile('recordings')
  const platform = testPlatform({ url: agent.url, keepFolder })
  await platform.run({ task_id: 'test-1', input: 'What?' })
  const keep = (body: object, id = 1) =>
    platform.call(`/api/runs/${id}/keep`, { method: 'POST', body: JSON.stringify(body) })
  const expectation = { contains: 'done' }
  for (const [body, message] of [
    [{ name: '../evil', expect: expectation }, 'name: expected small letters'],
    [{ name: 'a', expect: {} }, 'expected at least one of equals, contains'],
    [{ name: 'a', expect: { number: 'x' } }, 'expected a number'],
    [{ name: 'a' }, 'expected an object, got nothing'],
  ] as const) {
    const answer = await keep(body)
    expect([answer.status, await errorIn(answer)]).toEqual([400, expect.stringContaining(message)])
  }
  expect((await keep({ name: 'a', expect: expectation }, 9)).status).toBe(404)
  expect(existsSync(keepFolder)).toBe(false)
  expect(await (await keep({ name: 'a', expect: expectation })).json()).toMatchObject({ recording: null })
  expect(await errorIn(await keep({ name: 'a', expect: expectation }))).toBe('name: a is kept already')
  expect(await readFile(join(keepFolder, 'tasks.yaml'), 'utf8')).toContain('contains: done')
  expect((await testPlatform().call('/api/runs/1/keep', { method: 'POST' })).status).toBe(404)
})
