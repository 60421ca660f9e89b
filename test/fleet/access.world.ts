import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer as createPlainServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { expect, onTestFinished, test } from 'vitest'
import { insist, send, someTasks, startReplicas } from './callers.ts'
import { countingModel } from './load.ts'
import { startCluster, startRedis } from './redis.ts'

const SHARED = 'tasks are shared with the other replicas'
const UNAVAILABLE = 'Redis is unavailable: tasks are not shared with the other replicas'

/** The commands and patterns that the documentation gives a Redis user. */
function documentedAcl(): string[] {
  const page = readFileSync(new URL('../../docs/reference/fleet.md', import.meta.url), 'utf8')
  const [, rules = ''] = /^ACL SETUSER agent on '>[^']*' (.*)$/m.exec(page) ?? []
  return rules.split(' ').map(rule => rule.replaceAll("'", ''))
}

// EVIDENCE-OF docs/reference/fleet.md: Create a user with exactly these rights:
// EVIDENCE-OF docs/reference/fleet.md: Redis holds task ids, digests of requests, texts of answers, what tools with side effects returned
//   and a digest of their arguments, all masked like replies, and while a task runs what its models and tools have said, unless a secret
//   is in it; never a request, a token or an API key.
// EVIDENCE-OF docs/reference/threat-model.md: Anyone who reaches it reads answers or plants false ones
test('a user with the documented rights shares tasks; its password is in no log line and nowhere in Redis', async () => {
  const redis = await startRedis()
  const password = 'p@ss/w:rd%21-of-the-fleet'
  const rules = documentedAcl()
  expect(rules.length).toBeGreaterThan(5)
  await redis.client.call('ACL', 'SETUSER', 'agent', 'on', `>${password}`, ...rules)
  const REDIS_URL = `redis://agent:${encodeURIComponent(password)}@127.0.0.1:${redis.port}/0`
  const model = await countingModel(300)
  const cost = { MAX_DAY_COST_USD: '100', MODEL_PRICE: '{"input":1,"output":1}' }
  const replicas = await startReplicas(2, { ...model.env, ...cost, REDIS_URL })
  const [one, two] = replicas as [(typeof replicas)[0], (typeof replicas)[0]]
  const [task] = someTasks(1) as [ReturnType<typeof someTasks>[0]]
  const leaving = new AbortController()
  const third = send(two, { ...task, input: 'left alone' }, { signal: leaving.signal }).catch(() => undefined)
  const replies = await Promise.all([send(one, task), send(two, task)])
  leaving.abort()
  await third
  expect(replies[0]).toEqual(replies[1])
  expect(model.calls.get(task.input)).toBe(1)
  for (const { output } of replicas) {
    expect(output.join()).toContain(SHARED)
    expect(output.join()).not.toContain(UNAVAILABLE)
    expect(output.join()).not.toContain('of-the-fleet')
  }
  expect(await redis.client.call('ACL', 'LOG')).toEqual([])
  const keys = await redis.client.keys('*')
  const contents = await Promise.all(keys.map(key => redis.client.hgetall(key)))
  expect(keys.every(key => key.startsWith('agent-task:'))).toBe(true)
  const spent = keys.filter(key => /:spent:\d{4}-\d\d-\d\d$/.test(key))
  expect(await redis.client.hget(spent[0]!, 'spent')).toMatch(/^[1-9]\d*$/)
  expect(JSON.stringify(contents)).not.toContain(model.env.OPENAI_API_KEY)
  expect(JSON.stringify(contents)).not.toContain(task.input)
})

test('so does one of a Cluster with the rights that this needs, and whose replicas are waited for', async () => {
  const nodes = await startCluster()
  const page = readFileSync(new URL('../../docs/reference/fleet.md', import.meta.url), 'utf8')
  const [, more = ''] = /needs `(\+wait)` too, a Cluster `([^`]+)`/.exec(page)?.slice(1) ?? []
  for (const { client } of nodes)
    await client.call(
      'ACL',
      'SETUSER',
      'agent',
      'on',
      '>password',
      ...documentedAcl(),
      '+wait',
      ...more.split(' '),
    )
  const REDIS_URL = `redis+cluster://agent:password@127.0.0.1:${nodes[1]!.port}`
  const model = await countingModel(300)
  const replicas = await startReplicas(2, { ...model.env, REDIS_URL, REDIS_REPLICAS: '1' })
  await Promise.all(replicas.map(({ line }) => line(({ msg }) => msg === SHARED)))
  for (const task of someTasks(6)) {
    const [first, second] = await Promise.all(replicas.map(replica => send(replica, task)))
    expect(second).toEqual(first)
    expect(model.calls.get(task.input)).toBe(1)
  }
  for (const { client } of nodes) expect(await client.call('ACL', 'LOG')).toEqual([])
  for (const { output, errors } of replicas) {
    expect(output.join()).not.toContain(UNAVAILABLE)
    expect(errors()).toBe('')
  }
})

// EVIDENCE-OF docs/reference/fleet.md: Nothing waits for it and no run fails: each replica carries on as if it were alone.
test('a wrong password: starts, runs its tasks alone, and says why in a word', async () => {
  const redis = await startRedis(['--requirepass', 'the right password'], { password: 'the right password' })
  const REDIS_URL = `redis://:the-wrong-password@127.0.0.1:${redis.port}`
  const [replica] = await startReplicas(1, { REDIS_URL })
  const line = await replica?.line(({ msg }) => msg === UNAVAILABLE)
  expect(line).toMatchObject({ level: 'warn', reason: 'WRONGPASS' })
  const response = await replica?.post({ task_id: crypto.randomUUID(), input: '2+2' })
  expect(await response?.json()).toMatchObject({ status: 'success' })
  expect(replica?.output.join() ?? '').not.toContain('the-wrong-password')
})

// EVIDENCE-OF docs/reference/fleet.md: `/health` never uses Redis
test('a database that Redis refuses is not replaced by another, and the reason says why', async () => {
  const redis = await startRedis()
  await redis.client.call('ACL', 'SETUSER', 'agent', 'on', '>pw', '~*', '&*', '+@all', '-select')
  const refused = {
    [`${redis.url}/99`]: 'SELECT 99: ERR DB index is out of range',
    [`redis://agent:pw@127.0.0.1:${redis.port}/5`]: 'SELECT 5: NOPERM',
  }
  for (const [REDIS_URL, reason] of Object.entries(refused)) {
    const [replica] = await startReplicas(1, { REDIS_URL })
    expect(await replica?.line(({ msg }) => msg === UNAVAILABLE)).toMatchObject({ reason })
    const response = await replica?.post({ task_id: crypto.randomUUID(), input: '2+2' })
    expect(await response?.json()).toMatchObject({ status: 'success' })
    expect(replica?.output.join()).not.toContain(SHARED)
  }
  expect(await redis.client.keys('*')).toEqual([])
})

// EVIDENCE-OF docs/reference/fleet.md: `/health` never uses Redis
test('a Cluster, and a Redis in protected mode: the reason is what they say', async () => {
  const cluster = await startRedis(['--cluster-enabled', 'yes'])
  await cluster.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  // Of Redis 7. A Redis on loopback is never in this mode.
  const text =
    'DENIED Redis is running in protected mode because protected mode is enabled and no password is set'
  const guarded = createPlainServer(client => {
    client.on('error', () => undefined)
    client.end(`-${text} for the default user.\r\n`)
  }).listen(0, '127.0.0.1')
  await once(guarded, 'listening')
  onTestFinished(() => void guarded.close())
  const refusing = {
    [cluster.url]: /^(CROSSSLOT|CLUSTERDOWN)$/,
    [`${cluster.url}/1`]: /^SELECT 1: ERR SELECT is not allowed in cluster mode$/,
    [`redis://127.0.0.1:${(guarded.address() as AddressInfo).port}`]: /^DENIED$/,
  }
  for (const [REDIS_URL, reason] of Object.entries(refusing)) {
    const [replica] = await startReplicas(1, { REDIS_URL })
    const line = await replica?.line(({ msg }) => msg === UNAVAILABLE)
    expect(line?.reason).toMatch(reason)
    expect(replica?.errors()).toBe('')
  }
})

// EVIDENCE-OF docs/reference/fleet.md: An operation may take 100 ms; after 0.2 s of failures, none is attempted until Redis
//   answers a probe, sent once a second.
test('a connection that is killed every 100 ms is a few lines in 11 s', async () => {
  const redis = await startRedis()
  const [replica] = await startReplicas(1, { REDIS_URL: redis.url })
  await replica?.line(({ msg }) => msg === SHARED)
  for (let n = 0; n < 110; n += 1) {
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    await redis.client.call('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  const lines = replica?.output.map(line => JSON.parse(line) as Record<string, unknown>) ?? []
  const states = lines.filter(({ msg }) => msg === SHARED || msg === UNAVAILABLE)
  process.stdout.write(`killed every 100 ms: ${states.length} lines in 11 s\n`)
  // At the start, again, and without Redis for each reason.
  const byState = Object.values(
    Object.groupBy(states, ({ level, msg, reason }) => `${level} ${msg} ${reason}`),
  )
  expect(Math.max(...byState.map(lines => lines?.length ?? 0))).toBeLessThanOrEqual(2)
  expect(Math.max(...states.map(({ count }) => Number(count ?? 1)))).toBeGreaterThan(10)
})

// EVIDENCE-OF docs/configuration.md: | `REDIS_URL` |
// EVIDENCE-OF docs/reference/fleet.md: `rediss` in place of `redis`, for Sentinels and Clusters too, uses TLS and needs a
//   certificate that Node trusts for that host
test('TLS: refuses an untrusted certificate, accepts a trusted one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const request =
    'req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost'
  execFileSync('openssl', [...request.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const redis = await startRedis()
  const identity = { key: readFileSync(key), cert: readFileSync(certificate) }
  const front = createServer(identity, client => {
    const upstream = connect(redis.port, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream])
      socket.on('error', () => [client, upstream].map(end => end.destroy()))
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  onTestFinished(() => void front.close())
  const REDIS_URL = `rediss://localhost:${(front.address() as AddressInfo).port}`
  const [stranger] = await startReplicas(1, { REDIS_URL })
  expect(await stranger?.line(({ msg }) => msg === UNAVAILABLE)).toMatchObject({
    reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
  const [friend] = await startReplicas(1, { REDIS_URL, NODE_EXTRA_CA_CERTS: certificate })
  await friend?.line(({ msg }) => msg === SHARED)
})

// EVIDENCE-OF docs/reference/fleet.md: After SIGTERM a replica finishes its runs and answers its callers.
test('SIGTERM: finishes its runs, answers callers that it holds, and gives back the rest', async () => {
  const redis = await startRedis()
  const gate = Promise.withResolvers<void>()
  const model = await openAIServer(async () => {
    await gate.promise
    return says('done')
  })
  const env = { ...model.env, REDIS_URL: redis.url }
  const [owner, holder, third] = await startReplicas(3, env)
  if (!owner || !holder || !third) throw new Error('expected three replicas')
  const [task] = someTasks(1) as [ReturnType<typeof someTasks>[0]]
  const first = send(owner, task)
  await model.arrival(0)
  const second = send(holder, task)
  let fields: string[] = []
  while (!fields.some(field => field.startsWith('c:'))) {
    const [name = ''] = await redis.client.keys('agent-task:agent-1:*')
    fields = await redis.client.hkeys(name)
  }
  for (const { child } of [owner, holder]) child.kill('SIGTERM')
  await Promise.all([owner, holder].map(({ line }) => line(({ msg }) => msg === 'draining')))
  expect((await holder.post(task)).status).toBe(503)
  const retried = insist([owner, holder, third], task)
  gate.resolve()
  const replies = await Promise.all([first, second, retried])
  expect(new Set(replies.map(reply => JSON.stringify(reply))).size).toBe(1)
  expect(model.requests).toHaveLength(1)
  expect(await Promise.all([owner.exited, holder.exited])).toEqual([0, 0])
})
