import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBackend } from '@agent-task-service/test-support/backend'
import { copyProject } from '@agent-task-service/test-support/guide'
import { asks, call, fails, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRedis } from '../fleet/redis.ts'
import { install } from './install.ts'

const OLDER = '0.0.1'
/** For both versions. A payment for `begin` never ends, and the run of `fail` ends with an error after it. */
const AGENT = `
import { defineAgent, RunContext } from '@agent-task-service/engine'
import { runProcess } from '@agent-task-service/engine/process'
import { idempotencyKey } from '@agent-task-service/engine/tool'
import { redis } from '@agent-task-service/share'
import { createModels } from '@agent-task-service/starter/models'
import { tool } from '@langchain/core/tools'
import { z } from 'zod'
import { createGraph, SYSTEM_PROMPT } from './graph.ts'

const pay = tool(
  async ({ task }, runtime) => await (await fetch(process.env.BANK_URL + '/' + task + '/' + idempotencyKey(runtime))).text(),
  { name: 'pay', description: 'pays', schema: z.object({ task: z.string() }), metadata: { readOnlyHint: false } },
)
const agent = defineAgent({
  graph: createGraph, context: RunContext, systemPrompt: SYSTEM_PROMPT, models: createModels, tools: { pay }, share: redis(), variables: z.object({}),
})
await runProcess(agent, process.env, { port: 0, hostname: '127.0.0.1' })
`

let folder: string
const entryOf = (version: string) => join(folder, version, 'agent.ts')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'versions-'))
  const tree = join(folder, 'tree')
  await copyProject(
    tree,
    readdirSync('.').filter(name => !['node_modules', 'dist', '.git'].includes(name)),
  )
  for (const script of [['scripts/set-version.ts', OLDER], ['scripts/build-packages.ts']])
    execFileSync(process.execPath, script, { cwd: tree, stdio: ['ignore', 'ignore', 'inherit'] })
  await install(globSync(`${tree}/dist/packages/*.tgz`), join(folder, 'older'))
  await copyProject(join(folder, 'present'), [])
  for (const version of ['older', 'present']) {
    await writeFile(entryOf(version), AGENT)
    await writeFile(join(folder, version, 'package.json'), '{ "type": "module" }')
    await cp('packages/create/templates/minimal/graph/graph.ts', join(folder, version, 'graph.ts'))
  }
}, 300_000)

afterAll(async () => await rm(folder, { recursive: true }))

test('the older one has an older version', async () => {
  const path = join(folder, 'older/node_modules/@agent-task-service/share/package.json')
  expect(JSON.parse(await readFile(path, 'utf8')).version).toBe(OLDER)
})

// EVIDENCE-OF docs/guides/upgrading.md: With `REDIS_URL`, replicas of two versions may run beside each other: what one has paid for a
//   task, the other does not pay again.
test.each([
  ['older', 'present'],
  ['present', 'older'],
])('what the %s version has paid when it is lost, the %s one does not pay again', async (lost, next) => {
  const hung = Promise.withResolvers<void>()
  let isLost = false
  const model = await openAIServer(request => {
    const input = String(request.body.messages.find(({ role }) => role === 'user')?.content)
    const [receipt] = toolTexts(request)
    if (receipt === undefined) return asks([call('pay', { task: input })])
    if (isLost) return says(receipt)
    return input === 'fail' ? fails(400, 'no') : () => hung.resolve()
  })
  const bank = await startBackend((response, { path }) => {
    if (!path.startsWith('/begin/')) response.end(`receipt of ${path}`)
  })
  const redis = await startRedis()
  const env = { ...model.env, BANK_URL: bank.url, REDIS_URL: redis.url, AGENT_ID: 'agent-1' }
  const [first, second] = await Promise.all(
    [lost, next].map(version => startProcess(env, [], entryOf(version))),
  )
  const tasks = ['pay', 'begin', 'fail'].map(input => ({ task_id: crypto.randomUUID(), input }))
  const post = async (replica: typeof first, task: object) => (await replica!.post(task)).json()
  const cut = tasks.map(task => post(first, task).catch(() => 'cut'))
  expect(await cut[2]).toMatchObject({ status: 'error' })
  await Promise.all([bank.received(3), hung.promise])
  isLost = true
  first!.child.kill('SIGKILL')
  await once(first!.child, 'exit')
  const replies = await Promise.all(tasks.map(task => post(second, task)))
  const paid = (task: string) =>
    bank.requests.map(({ path }) => path).filter(path => path.startsWith(`/${task}/`))
  expect(replies).toMatchObject([
    { status: 'success', output: `receipt of ${paid('pay')[0]}` },
    { status: 'error', error: expect.stringMatching(/^the outcome is unknown: .* pay \(key /) },
    { status: 'success', output: `receipt of ${paid('fail')[0]}` },
  ])
  expect(bank.requests).toHaveLength(3)
})
