import { randomUUID } from 'node:crypto'
import { UnknownOutcome } from '@agent-task-service/engine/tool'
import { expect, test } from 'vitest'
import { ANN, Fleet, pays, paysThenHangs, payTool, usage } from '../two-replicas.ts'

const says = (text: string) => () => ({ text, usage })

// EVIDENCE-OF docs/reference/fleet.md: An answer of an agent that differs in these, such as a later version, is not replayed:
//   the task runs anew, and makes none of the payments again that the other one has made.
test('an answer is replayed to an agent with the same prompt, models and tools, and to no other', async () => {
  const fleet = new Fleet()
  const first = await fleet.replica([], says('of the first'))
  const same = await fleet.replica([], says('of the same'))
  const prompt = await fleet.replica([], says('of another prompt'), { SYSTEM_PROMPT: 'You are another.' })
  const tools = await fleet.replica([payTool([])], says('of other tools'))
  const task_id = randomUUID()
  expect(await first.run(task_id)).toMatchObject({ output: 'of the first' })
  expect(await same.run(task_id)).toMatchObject({ output: 'of the first' })
  expect(await prompt.run(task_id)).toMatchObject({ output: 'of another prompt' })
  expect(await tools.run(task_id)).toMatchObject({ output: 'of other tools' })
  // What a replica has answered itself it replays from its own memory.
  expect(await first.run(task_id)).toMatchObject({ output: 'of the first' })
})

// EVIDENCE-OF docs/reference/fleet.md: An answer of an agent that differs in these, such as a later version, is not replayed:
//   the task runs anew, and makes none of the payments again that the other one has made.
test('an agent with another prompt finds the payments of a task, whether that succeeded or is still running', async () => {
  const fleet = new Fleet()
  const keys: string[] = []
  const pay = payTool(keys, key => `receipt ${key}`)
  const first = await fleet.replica([pay], pays(ANN))
  const later = await fleet.replica([pay], pays(ANN), { SYSTEM_PROMPT: 'You are a later version.' })
  const task_id = randomUUID()
  const reply = await first.run(task_id)
  expect(await later.run(task_id)).toMatchObject({ status: 'success', output: reply.output })
  expect(keys).toHaveLength(1)

  const { reached, script } = paysThenHangs(ANN)
  const hanging = await fleet.replica([pay], script)
  const second_id = randomUUID()
  await hanging.loseAt(second_id, reached)
  expect(await later.run(second_id)).toMatchObject({ status: 'success', output: `receipt ${keys[1]}` })
  expect(keys).toHaveLength(2)
})

test('a caller who waits for another agent gets an answer of the one it asked', async () => {
  const fleet = new Fleet()
  const asked = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const first = await fleet.replica([], async () => {
    asked.resolve()
    await gate.promise
    return { text: 'of the first', usage }
  })
  const other = await fleet.replica([], says('of the other'), { SYSTEM_PROMPT: 'You are another.' })
  const task_id = randomUUID()
  const one = first.service.run('Hello', undefined, task_id)
  await fleet.after(asked.promise)
  const two = other.service.run('Hello', undefined, task_id)
  await fleet.pass(1_000)
  expect(other.model.requests).toEqual([])
  gate.resolve()
  expect(await fleet.after(one)).toMatchObject({ output: 'of the first' })
  expect(await fleet.after(two)).toMatchObject({ output: 'of the other' })
})

// EVIDENCE-OF docs/reference/fleet.md: A success then has the header `Effect-Unknown: "pay";key="…";begun="…"`, an item for
//   each call, and the event `effect`; the log has `effect unknown`.
test('a success with an unknown outcome says so in a header, also when it is replayed elsewhere, and in an event', async () => {
  const fleet = new Fleet()
  const keys: string[] = []
  const pay = payTool(keys, () => {
    throw new UnknownOutcome('the bank broke off.')
  })
  const first = await fleet.replica([pay], pays(ANN))
  const second = await fleet.replica([pay], pays(ANN))
  const task = { task_id: randomUUID(), input: 'Pay 5 to Ann' }
  const reply = await fleet.after(first.service.post(task))
  const item = new RegExp(`^"pay";key="${keys[0]}";begun="2026-[^"]+Z"$`)
  expect(reply.headers.get('effect-unknown')).toMatch(item)
  const body = (await reply.json()) as { output: string }
  expect(Object.keys(body)).toEqual(['task_id', 'status', 'output', 'metrics'])
  expect(body.output).toMatch(/the bank broke off\. Nobody knows whether this call of pay had its effect/)
  const replayed = await fleet.after(second.service.post(task))
  expect(replayed.headers.get('idempotent-replayed')).toBe('true')
  expect(replayed.headers.get('effect-unknown')).toMatch(item)
  expect(await replayed.json()).toEqual(body)
  const accept = { accept: 'text/event-stream' }
  const stream = await fleet.after(first.service.post({ ...task, task_id: 'test-1' }, accept))
  const events = await fleet.after(stream.text())
  const [, data = ''] = /^event: effect\nid: \d+\ndata: (.*)$/m.exec(events) ?? []
  expect(JSON.parse(data)).toMatchObject({ state: 'unknown', tool: 'pay', key: keys[1] })
})
