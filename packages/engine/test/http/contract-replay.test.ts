import { setTimeout as sleep } from 'node:timers/promises'
import { fresh, numbered, read, replay } from '@agent-task-service/test-support/ledger-contract'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test, vi } from 'vitest'

const UUID = '6f9619ff-8b86-4011-b42d-00c04fc964ff'
const TASK = { task_id: UUID, input: 'hello' }

/** A service whose model gives a new answer each time, once the gate is open. */
async function numberedService(env: Record<string, string> = {}) {
  const { model, gate } = numbered()
  return { ...(await testService(env, { models: [model.named()] })), model, gate }
}

// EVIDENCE-OF docs/reference/threat-model.md: `test-<n>` ids always run again
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

const shared = { task_id: 'test-1', input: 'hello' }
const others: [name: string, task: object, other: object][] = [
  ['another input', TASK, { ...TASK, input: 'hello!' }],
  ['a system prompt', TASK, { ...TASK, config: { system_prompt: 'Be brief.' } }],
  ['a cap', TASK, { ...TASK, config: { max_tokens: 5 } }],
  ['other tools', TASK, { ...TASK, config: { enabled_tools: [] } }],
  ['another id', TASK, { ...TASK, task_id: UUID.replace('6', '7') }],
  ['the same test-<n> id', shared, shared],
]

// EVIDENCE-OF docs/guides/deployment.md: Without Redis, each replica joins and replays only its own tasks: at another replica the same
//   request is a new run, correct but paid for twice.
// EVIDENCE-OF docs/reference/fleet.md [a request with the same test-<n> id is a separate run, in flight and after]: All
//   replicas with the same prompt, names of models and own tools replay a success.
// EVIDENCE-OF docs/guides/deployment.md: One replica handles hundreds of concurrent runs (Memory), and joins, replays and cancels by
//   itself.
// EVIDENCE-OF docs/reference/threat-model.md: `test-<n>` ids always run again
// EVIDENCE-OF docs/reference/threat-model.md: The only caller is the platform's orchestrator.
test.for(others)('a request with %s is a separate run, in flight and after', async ([_name, task, other]) => {
  const { post, model, gate } = await numberedService()
  const both = [post(task), post(other)]
  await model.asked(2)
  gate.resolve()
  expect(await Promise.all(both.map(read))).toEqual([fresh(1), fresh(2)])
  await post({ task_id: UUID, input: 'something else in between' })
  expect(await read(post(task))).toEqual(fresh(4))
})

// EVIDENCE-OF docs/configuration.md: | `REPLAY_TTL_SEC` |
test('a success is replayed for as long as REPLAY_TTL_SEC says, and with 0 never', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => now.mockRestore())
  const { post, gate } = await numberedService({ REPLAY_TTL_SEC: '60' })
  gate.resolve()
  /** The reply this long after the start. The ledger keeps the time that it has read for a millisecond. */
  const replyAt = async (milliseconds: number) => {
    now.mockReturnValue(milliseconds)
    await sleep(2)
    return await read(post(TASK))
  }
  expect(await replyAt(1)).toEqual(fresh(1))
  expect(await replyAt(60_000)).toEqual(replay(1))
  expect(await replyAt(60_002)).toEqual(fresh(2))

  const never = await numberedService({ REPLAY_TTL_SEC: '0' })
  never.gate.resolve()
  expect(await read(never.post(TASK))).toEqual(fresh(1))
  expect(await read(never.post(TASK))).toEqual(fresh(2))
})
