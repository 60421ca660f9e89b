import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Fleet, usage } from './two-replicas.ts'

const INPUT = 'Pay 5 to Ann'
/** Longest way from a moment to the next model call, in milliseconds. */
const ON_ITS_WAY_MS = 50

/** A run whose model is not answered until `answer`, and a caller at another replica. */
async function awaitedRun() {
  const fleet = new Fleet()
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let renewedAt = 0
  let takenOverAt = Number.POSITIVE_INFINITY
  const owner = await fleet.replica([], async () => {
    asked.resolve()
    await answered.promise
    return { text: 'of its owner', usage }
  })
  const other = await fleet.replica([], () => {
    takenOverAt = performance.now()
    return { text: 'of the other', usage }
  })
  fleet.redis.onRun = ({ client }) => {
    if (client === owner.client) renewedAt = performance.now()
  }
  const task_id = randomUUID()
  const first = owner.service.run(INPUT, undefined, task_id)
  await fleet.after(asked.promise)
  const second = other.service.run(INPUT, undefined, task_id)
  await fleet.pass(1_300)
  return {
    ...{ fleet, owner, other, first, second },
    answer: answered.resolve,
    /** From the last heartbeat to the takeover, in milliseconds. */
    lostAfter: async () => {
      await fleet.after(second)
      return takenOverAt - renewedAt
    },
  }
}

// EVIDENCE-OF docs/reference/fleet.md: for 2 s if its connection to Redis is closed, as that of a killed process is.
test('a replica that is killed is taken over 2 s after its last heartbeat', async () => {
  const { owner, lostAfter } = await awaitedRun()
  owner.client.isDead = true
  const ms = await lostAfter()
  expect(ms).toBeGreaterThanOrEqual(2_000)
  expect(ms).toBeLessThan(2_000 + ON_ITS_WAY_MS)
})

test('one that was suspended for 3 s has its task still', async () => {
  const { fleet, owner, other, first, second, answer } = await awaitedRun()
  await fleet.after(fleet.suspend(owner.client, 3_000))
  answer()
  for (const reply of [first, second])
    expect(await fleet.after(reply)).toMatchObject({ status: 'success', output: 'of its owner' })
  expect(other.model.requests).toHaveLength(0)
})

test('one whose connection is closed whenever a heartbeat is due keeps its task', async () => {
  const { fleet, owner, other, first, second, answer } = await awaitedRun()
  // Its heartbeats are due 0.7 s from here, and each second.
  for (let seconds = 0; seconds < 8; seconds += 1) {
    await fleet.pass(650)
    owner.client.disconnect(true)
    await fleet.pass(350)
  }
  answer()
  for (const reply of [first, second])
    expect(await fleet.after(reply)).toMatchObject({ status: 'success', output: 'of its owner' })
  expect(other.model.requests).toHaveLength(0)
})

// EVIDENCE-OF docs/reference/fleet.md: Where Redis does not tell which connections are open, as in a Cluster, each keeps its
//   tasks for 4 s.
test.each(['refuses PUBSUB', 'sees no subscriber'])(
  'Redis %s: a killed replica keeps its task for 4 s',
  async how => {
    const { fleet, owner, lostAfter } = await awaitedRun()
    const { redis } = fleet
    const call = redis.call.bind(redis)
    redis.call = (command, args) => {
      if (command !== 'PUBSUB') return call(command, args)
      if (how === 'refuses PUBSUB') throw new Error('NOPERM')
      return args.slice(1).flatMap(channel => [channel, 0])
    }
    owner.client.isDead = true
    expect(await lostAfter()).toBeGreaterThanOrEqual(4_000)
  },
)
