import { expect, test } from 'vitest'
import { ANN, Fleet, pays, payTool, usage } from '../two-replicas.ts'

const TASK = '0b3f5d0e-6a1c-4d52-9b1e-2f6f0f2f9a01'
/**
 * What a lost replica of an earlier version has left of a payment. Other versions that run beside this one read and write it so: who
 * changes this form pays twice during an upgrade.
 */
const KEY = `agent-task:agent-1:${TASK}:KEMcMSfmeSHpFctgziIJuXe3-3nwFha6CSw_2_rqEdI`
const FIELDS = {
  owner: 'c4ada39d-800b-4764-85cf-19c877325261',
  until: '0',
  fence: '1',
  run: 'qe3nJODMEX1LDBTAb_f4Ng',
  lost: '0',
  effects: '1',
}
const EFFECT = 'qe3nJODMEX1LDBTAb_f4Ng-gSkwPeYn1OyE-1'
const BEGUN = { tool: 'pay', begunAt: 1_767_225_605_001, isDeclared: true }
const DONE = { ...BEGUN, outcome: { kind: 'done', result: 'receipt 1' } }

/** The reply of a replica that finds this record, and the keys of the calls that it makes. */
async function takenOver(record: object, more: Record<string, string> = {}, env = {}) {
  const fleet = new Fleet()
  const keys: string[] = []
  const replica = await fleet.replica([payTool(keys)], pays(ANN), env)
  const fields = { ...FIELDS, [`e:${EFFECT}`]: JSON.stringify(record), ...more }
  fleet.redis.call('HSET', [KEY, ...Object.entries(fields).flat()])
  return { reply: await replica.run(TASK), keys }
}

// EVIDENCE-OF docs/guides/upgrading.md: With `REDIS_URL`, replicas of two versions may run beside each other: what one has paid for a
//   task, the other does not pay again.
test('a payment that another version has made is not made again', async () => {
  const { reply, keys } = await takenOver(DONE)
  expect(reply).toMatchObject({ status: 'success', output: 'receipt 1' })
  expect(keys).toEqual([])
})

test('one that it had begun is not made again, and named', async () => {
  const { reply, keys } = await takenOver(BEGUN)
  expect(reply).toMatchObject({
    status: 'error',
    error: expect.stringContaining(`pay (key ${EFFECT}, begun at`),
  })
  expect(keys).toEqual([])
})

test('one that is known not to have been made has its key again', async () => {
  const { keys } = await takenOver({ ...BEGUN, outcome: { kind: 'not_done' } })
  expect(keys).toEqual([EFFECT])
})

test('one of an earlier version, whose token does not name it, keeps its task for the whole lease', async () => {
  const fleet = new Fleet()
  let askedAt = 0
  const replica = await fleet.replica([], () => {
    askedAt = performance.now()
    return { text: 'Done.', usage }
  })
  const [sentAt, leftMs] = [performance.now(), 3_900]
  fleet.redis.call('HSET', [
    KEY,
    ...Object.entries({ ...FIELDS, until: Date.now() + leftMs })
      .flat()
      .map(String),
  ])
  expect(await replica.run(TASK)).toMatchObject({ status: 'success' })
  expect(askedAt - sentAt).toBeGreaterThanOrEqual(leftMs)
})

test('what a later version records besides changes nothing', async () => {
  const later = { ...DONE, costUsd: 1, outcome: { ...DONE.outcome, endedAt: 1 } }
  const { reply, keys } = await takenOver(later, { colour: 'blue', 'x:1': '{' })
  expect(reply).toMatchObject({ status: 'success', output: 'receipt 1' })
  expect(keys).toEqual([])
})

const unreadable = {
  'ended otherwise': { ...BEGUN, outcome: { kind: 'refunded' } },
  'lacks a member': { tool: 'pay', begunAt: 1 },
}

// EVIDENCE-OF docs/reference/fleet.md: Two versions that run side by side know each other's effects (but for 0.2); while a task's record
//   cannot be read, tools with side effects do not run in it.
test.each(
  Object.entries(unreadable).flatMap(([what, record]) =>
    ['on', 'effects', 'off'].map(journal => ({ what, record, journal })),
  ),
)(
  'a record that this version cannot read ($what), JOURNAL=$journal: nothing is paid',
  async ({ record, journal }) => {
    const { reply, keys } = await takenOver(record, {}, { JOURNAL: journal })
    const output = expect.stringContaining('cannot be recorded now')
    expect(reply).toMatchObject({ status: 'success', output })
    expect(keys).toEqual([])
  },
)
