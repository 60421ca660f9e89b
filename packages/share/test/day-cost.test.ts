import { randomUUID } from 'node:crypto'
import { priceAt } from '@agent-task-service/engine'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { expect, test } from 'vitest'
import { Fleet } from './two-replicas.ts'

const OUTAGE_MS = 5_000

/** Replicas of a fleet whose runs cost 40 cents, of a dollar for a day. */
async function replicas(fleet: Fleet, count: number, env: Record<string, string> = {}) {
  const reply = { text: 'Done.', usage: { input: 400_000, output: 0 } }
  const models = [
    { ...new ScriptedModel(() => reply).named(), price: async () => priceAt({ input: 1, output: 1 }) },
  ]
  const variables = { REDIS_URL: 'redis://127.0.0.1:1', AGENT_ID: 'agent-7', MAX_DAY_COST_USD: '1', ...env }
  const services = []
  for (let n = 0; n < count; n += 1)
    services.push(await fleet.after(testService(agent, { env: variables, models, tools: [] })))
  await fleet.pass(OUTAGE_MS)
  return services.map(service => ({
    ...service,
    run: async () => (await fleet.after(service.run('Hello', {}, randomUUID()))).status,
  }))
}

// EVIDENCE-OF docs/guides/models.md: With `REDIS_URL` all replicas add up
test('replicas add up, one that begins later learns of it, and other agents have a day of their own', async () => {
  const fleet = new Fleet()
  const [one, two] = await replicas(fleet, 2)
  expect([await one!.run(), await two!.run(), await one!.run()]).toEqual(['success', 'success', 'success'])
  expect([await one!.run(), await two!.run()]).toEqual(['error', 'error'])
  const [later] = await replicas(fleet, 1)
  expect(await later!.run()).toBe('error')
  const [other] = await replicas(fleet, 1, { AGENT_ID: 'agent-8' })
  expect(await other!.run()).toBe('success')
})

// EVIDENCE-OF docs/guides/models.md: while Redis does not answer, each counts for itself what it has known and spends
test('while Redis is away, each counts for itself; what it forgets, they still know', async () => {
  const fleet = new Fleet()
  const [one, two] = await replicas(fleet, 2)
  expect(await one!.run()).toBe('success')
  fleet.redis.isDown = true
  await fleet.pass(OUTAGE_MS)
  expect([await one!.run(), await one!.run(), await one!.run()]).toEqual(['success', 'success', 'error'])
  expect([await two!.run(), await two!.run()]).toEqual(['success', 'success'])
  fleet.redis.flush()
  fleet.redis.isDown = false
  await fleet.pass(OUTAGE_MS)
  expect(await one!.run()).toBe('error')
})
