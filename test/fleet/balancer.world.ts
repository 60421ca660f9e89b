import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { heldPort } from '@agent-task-service/test-support/held-port'
import type { TestProcess } from '@agent-task-service/test-support/process'
import { until } from '@agent-task-service/test-support/until'
import { runResponse } from '@agent-task-service/wire/contract'
import { expect, onTestFinished, test, vi } from 'vitest'
import { documentsOf, textOf } from '../deploy/documents.ts'
import { someTasks, startReplicas } from './callers.ts'
import { countingModel } from './load.ts'
import { startRedis } from './redis.ts'

interface Compose {
  readonly services: {
    readonly agent: { readonly environment: { readonly REDIS_URL: string } }
    readonly valkey: { readonly command: readonly string[] }
  }
}

const [compose] = documentsOf('compose.fleet.yaml') as [Compose]
const settings = textOf('deploy/balancer.conf')

/**
 * nginx as in compose, in front of replicas on this machine. Debian's does not know `resolve` yet: it gets their ports.
 */
async function startBalancer(replicas: readonly TestProcess[]): Promise<string> {
  const port = await heldPort()
  const folder = mkdtempSync(join(tmpdir(), 'balancer-'))
  const servers = replicas.map(({ url }) => `server ${new URL(url).host} max_fails=1 fail_timeout=5s;`)
  const named = 'server agent:8080 resolve max_fails=1 fail_timeout=5s;'
  expect(settings).toContain(named)
  expect(settings).toContain('listen 8080;')
  const here = settings
    .replace(named, servers.join('\n  '))
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `user root; daemon off; pid ${folder}/pid; events {}\nhttp { access_log off; ${places.join(' ')}\n${here}}\n`,
  )
  const args = ['-p', folder, '-c', file, '-e', 'stderr']
  execFileSync('nginx', ['-t', ...args], { stdio: 'pipe' })
  const nginx = spawn('nginx', args, { stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = nginx.exitCode === null && once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${port}`
  await vi.waitUntil(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200, {
    timeout: 60_000,
  })
  return url
}

async function fleet(latencyMs: number) {
  const { environment } = compose.services.agent
  const redis = await startRedis(compose.services.valkey.command.slice(1))
  const REDIS_URL = environment.REDIS_URL.replace('valkey:6379', `127.0.0.1:${redis.port}`)
  expect(REDIS_URL).toBe(redis.url)
  const model = await countingModel(latencyMs)
  const replicas = await startReplicas(3, { ...model.env, ...environment, REDIS_URL })
  const url = await startBalancer(replicas)
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return { model, replicas, post }
}

test('through the balancer: one run for equal tasks, live events, and a refusal of what is too large', async () => {
  const { model, post } = await fleet(300)
  const tasks = someTasks(30)
  await Promise.all(
    tasks.map(async task => {
      const [one, two] = await Promise.all([post(task), post(task)])
      expect(runResponse.parse(await one.json())).toMatchObject({ status: 'success' })
      expect(await two.json()).toMatchObject({ task_id: task.task_id, status: 'success' })
    }),
  )
  expect(tasks.map(({ input }) => model.calls.get(input))).toEqual(Array(30).fill(1))
  const [task] = someTasks(1)
  const watching = await post(task, { accept: 'text/event-stream' })
  const first = await watching.body!.getReader().read()
  expect(String(Buffer.from(first.value!))).toMatch(/^event: run_started\n/)
  expect((await post({ ...task, input: 'x'.repeat(2 ** 20) })).status).toBe(413)
})

// EVIDENCE-OF docs/guides/deployment.md: `docker compose --file compose.fleet.yaml up --build --detach` starts three replicas, nginx
//   and a Valkey. nginx sends a lost replica's unanswered requests to the next one, so callers do not even notice.
test('one replica is killed mid-run, another is told to stop: no caller behind the balancer notices', async () => {
  const { model, replicas, post } = await fleet(1_000)
  const tasks = someTasks(30)
  const replies = tasks.map(task => post(task))
  await until(() => model.calls.size === tasks.length)
  const [killed, ended] = replicas as [TestProcess, TestProcess]
  killed.child.kill('SIGKILL')
  ended.child.kill('SIGTERM')
  replies.push(...someTasks(30).map(task => post(task)))
  for (const reply of await Promise.all(replies)) {
    expect(reply.status).toBe(200)
    expect(await reply.json()).toMatchObject({ status: 'success' })
  }
  for (const { input } of tasks) expect(model.calls.get(input)).toBeLessThanOrEqual(2)
  expect(await ended.exited).toBe(0)
})
