import { expect, test } from 'vitest'
import { runResponse } from '../../../src/wire/contract.ts'
import { ScriptedModel } from '../../support/scripted-model.ts'
import { testService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const UUID = '6f9619ff-8b86-4011-b42d-00c04fc964ff'
const TASK = { task_id: UUID, input: 'hello' }
const usage = { input: 3, output: 2 }

/** A service whose model gives a new answer each time, once the gate is open. */
async function numberedService() {
  const gate = Promise.withResolvers<void>()
  let answers = 0
  const model = new ScriptedModel(() => {
    answers += 1
    return { text: `answer ${answers}`, usage, after: gate.promise }
  })
  const service = await testService({}, { models: [model.named()] })
  return { ...service, model, gate }
}

/** The reply's output, and whether it is marked as a replay. */
async function read(response: Response | Promise<Response>) {
  const reply = await response
  const { status, output } = runResponse.parse(await reply.json())
  expect(reply.status).toBe(200)
  return { status, output, replayed: reply.headers.get('idempotent-replayed') }
}

const fresh = (number: number) => ({ status: 'success', output: `answer ${number}`, replayed: null })
const replay = (number: number) => ({ status: 'success', output: `answer ${number}`, replayed: 'true' })

test('the log says who joined and who got a replay', async () => {
  const { post, gate, lines, tasks } = await numberedService()
  const both = [post(TASK), post(TASK)]
  await until(() => tasks.callers === 2)
  gate.resolve()
  await Promise.all(both)
  await post(TASK)
  expect(lines.map(({ msg, task_id }) => [msg, task_id])).toEqual([
    ['joined', UUID],
    ['run', UUID],
    ['replayed', UUID],
  ])
})

test('null for an optional member is the same task', async () => {
  const { post, gate } = await numberedService()
  gate.resolve()
  expect(await read(post({ ...TASK, config: { max_tokens: 9, enabled_tools: null } }))).toEqual(fresh(1))
  expect(await read(post({ ...TASK, config: { max_tokens: 9, system_prompt: null } }))).toEqual(replay(1))
  const other = { ...TASK, task_id: UUID.replace('6f', '7f') }
  expect(await read(post(other))).toEqual(fresh(2))
  expect(await read(post({ ...other, config: null }))).toEqual(replay(2))
  expect(await read(post({ ...other, config: { max_tokens: null } }))).toEqual(replay(2))
})

const others: [name: string, task: object][] = [
  ['another input', { ...TASK, input: 'hello!' }],
  ['a system prompt', { ...TASK, config: { system_prompt: 'Be brief.' } }],
  ['a cap', { ...TASK, config: { max_tokens: 5 } }],
  ['other tools', { ...TASK, config: { enabled_tools: [] } }],
  ['another id', { ...TASK, task_id: UUID.replace('6', '7') }],
]

test.for(others)('a request with %s is a separate run, in flight and after', async ([_name, other]) => {
  const { post, model, gate } = await numberedService()
  const both = [post(TASK), post(other)]
  await model.asked(2)
  gate.resolve()
  expect(await Promise.all(both.map(read))).toEqual([fresh(1), fresh(2)])
  await post({ task_id: UUID, input: 'something else in between' })
  expect(await read(post(TASK))).toEqual(fresh(4))
})

test('test-<n> ids are separate runs, in flight and after', async () => {
  const { post, model, gate } = await numberedService()
  const task = { task_id: 'test-1', input: 'hello' }
  const both = [post(task), post(task)]
  await model.asked(2)
  gate.resolve()
  expect(await Promise.all(both.map(read))).toEqual([fresh(1), fresh(2)])
  expect(await read(post(task))).toEqual(fresh(3))
})
