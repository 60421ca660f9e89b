import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunPage, RunRecord } from '@agent-task-service/rehearsal/api'
import { AGENT } from '@agent-task-service/test-support/process'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { AGENT_TOKEN, STAGING_TOKEN, task } from '../platform.ts'

const RUNNING = new URL('../../running-platform.ts', import.meta.url).href

/** The platform as a separate process, without this project's agent; stops with the test. */
function platformProcess(args: readonly string[], env: Record<string, string> = {}, cwd = '.') {
  const child = spawn(process.execPath, [AGENT, 'staging', ...args], {
    cwd,
    env: { AGENT_ID: 'agent-7', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      output += String(chunk)
    })
  }
  /** Resolves with the pattern's match in past or future output. */
  const said = async (pattern: RegExp) => {
    await until(() => pattern.test(output))
    return pattern.exec(output)!.at(-1)!
  }
  const exited = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { child, said, exited, output: () => output }
}

/** Presses Ctrl-C until the platform ends. @returns how it ended */
async function pressed({ child, exited }: ReturnType<typeof platformProcess>) {
  const pressing = setInterval(() => child.kill('SIGINT'), 100)
  return await exited.finally(() => clearInterval(pressing))
}

function run(url: string, token: string): Promise<Response> {
  return fetch(`${url}/staging/agents/agent-7/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(task()),
  })
}

test('a platform that runs says where, next to its records, as long as it does', async () => {
  const { url } = await scriptedAgent(replies(success))
  const folder = dirname(await newFile('a'))
  const platform = platformProcess([`agent-7=${url}`, '--port', '0'], {}, folder)
  const said = await platform.said(/up at (\S+)/)
  const found = `import { runningPlatform } from ${JSON.stringify(RUNNING)}\nconsole.log(runningPlatform())`
  const find = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', found], { cwd: folder, encoding: 'utf8' })
  expect(find()).toBe(`${said}\n`)
  platform.child.kill('SIGTERM')
  await platform.exited
  expect(find()).toBe('undefined\n')
})

test("this project's own agent comes first, wherever it is named", async () => {
  const { url } = await scriptedAgent(replies(success))
  const platform = platformProcess([`agent-3=${url}`, `agent-7=${url}`, `agent-9=${url}`, '--port', '0'])
  const said = await platform.said(/up at (\S+)/)
  const { agents } = (await (await fetch(`${said}/api/agents`)).json()) as { agents: { id: string }[] }
  expect(agents.map(({ id }) => id)).toEqual(['agent-7', 'agent-3', 'agent-9'])
})

test('a platform prints its address and how to use it, serves the dashboard, and remembers its runs', async () => {
  const agent = await scriptedAgent(replies(success))
  const args = [`agent-7=${agent.url}`, '--port', '0', '--db', await newFile('platform.db')]
  const env = { STAGING_AGENT_TOKEN_7: AGENT_TOKEN }
  const first = platformProcess(args, env)
  const token = await first.said(/Bearer ([\w-]{32})"/)
  const url = await first.said(/up at (\S+)/)
  await first.said(/agent-7 is available/)
  const page = await fetch(url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect((await run(url, token)).status).toBe(200)
  expect(agent.requests.at(-1)!.headers.authorization).toBe(`Bearer ${AGENT_TOKEN}`)
  first.child.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  expect(first.output()).not.toContain(AGENT_TOKEN)

  const second = platformProcess(args, { ...env, STAGING_TOKEN })
  const again = await second.said(/up at (\S+)/)
  const history = await fetch(`${again}/api/runs`, { headers: { authorization: `Bearer ${STAGING_TOKEN}` } })
  expect(((await history.json()) as RunPage).runs).toMatchObject([
    { id: 1, taskId: 'test-1', status: 'success' },
  ])
  expect((await run(again, token)).status).toBe(401)
  expect(second.output()).not.toContain(STAGING_TOKEN)
  // As when its terminal is closed.
  second.child.kill('SIGHUP')
  expect(await second.exited).toBe(0)
})

test('a run in progress may finish after the first signal, or be cancelled; the second stops it', async () => {
  let finish = () => {}
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health') return replies(success)(request, response)
    finish = () => replies(success)(request, response)
  })
  const args = [`agent-7=${agent.url}`, '--port', '0', '--db', await newFile('platform.db')]
  const start = async () => {
    const platform = platformProcess(args, { STAGING_TOKEN })
    const url = await platform.said(/up at (\S+)/)
    await platform.said(/agent-7 is available/)
    const arrived = agent.arrival()
    const answer = run(url, STAGING_TOKEN).then(
      response => response.status,
      () => 'no answer',
    )
    await arrived
    platform.child.kill('SIGINT')
    await platform.said(/stopping: /)
    // As npm does, beside the terminal.
    platform.child.kill('SIGINT')
    return { platform, answer, url }
  }
  const patient = await start()
  finish()
  expect(await patient.answer).toBe(200)
  expect(await patient.platform.exited).toBe(0)

  const asked = await start()
  await fetch(`${asked.url}/api/runs/2/cancel`, { method: 'POST' })
  expect(await asked.answer).toBe(499)
  expect(await asked.platform.exited).toBe(0)

  const impatient = await start()
  expect(await pressed(impatient.platform)).toBe(1)
  expect(await impatient.answer).toBe('no answer')
})

test('a run of the dashboard may finish too; one that was stopped is on record as such', async () => {
  let finish = () => {}
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health') return replies(success)(request, response)
    finish = () => replies(success)(request, response)
  })
  const args = [`agent-7=${agent.url}`, '--port', '0', '--db', await newFile('platform.db')]
  const begin = async () => {
    const platform = platformProcess(args)
    const url = await platform.said(/up at (\S+)/)
    await platform.said(/agent-7 is available/)
    const arrived = agent.arrival()
    await fetch(`${url}/api/agents/agent-7/runs`, { method: 'POST', body: JSON.stringify(task()) })
    const { left } = await arrived
    platform.child.kill('SIGINT')
    await platform.said(/stopping: /)
    platform.child.kill('SIGINT')
    return { ...platform, left }
  }
  const patient = await begin()
  finish()
  expect(await patient.exited).toBe(0)
  const impatient = await begin()
  expect(await pressed(impatient)).toBe(1)
  await impatient.left
  const next = platformProcess(args)
  const history = await fetch(`${await next.said(/up at (\S+)/)}/api/runs`)
  expect(((await history.json()) as RunPage).runs).toMatchObject([
    { id: 2, status: 'cancelled', output: 'the platform stopped before agent-7 replied' },
    { id: 1, status: 'success' },
  ])
})

test("goes on with the agents that are named if this project's own cannot start, and says why", async () => {
  const { url } = await scriptedAgent(replies(success))
  const args = [`agent-7=${url}`, '--port', '0', '--db', await newFile('platform.db')]
  const platform = platformProcess(args, { AGENT_ID: 'eight' })
  await platform.said(/this project's agent is not started: (exit code 1|http:\/\/127.0.0.1:8080 is in use)/)
  await platform.said(/up at (\S+)/)
  await platform.said(/agent-7 is available/)
})

// EVIDENCE-OF docs/guides/staging.md: `--replicas 2` starts two processes of this project's agent, each on a free port
test('replicas of the agent in this folder share a Redis; a run that loses one goes on, and all end with the platform', async () => {
  const folder = dirname(await newFile('a'))
  for (const part of ['src', 'graph', 'tools', 'node_modules', 'package.json'])
    symlinkSync(resolve(part), join(folder, part))
  const { PATH = '' } = process.env
  const offline = { PATH, AGENT_ID: 'agent-3', MODEL_PROVIDER: 'offline' }
  const platform = platformProcess(['--replicas', '2', '--port', '0'], offline, folder)
  const url = await platform.said(/up at (\S+)/)
  const call = async (path: string, init?: RequestInit) => (await fetch(`${url}/api/${path}`, init)).json()
  const { examples } = (await call('examples')) as { examples: string[] }
  const body = JSON.stringify({ task_id: randomUUID(), input: examples.at(-1) })
  const { id } = (await call('agents/agent-3/runs', { method: 'POST', body })) as RunRecord
  const record = async () => (await call(`runs/${id}`)) as RunRecord
  let run = await record()
  for (; !run.events.some(({ data }) => data.step === 4); run = await record()) await sleep(20)
  await call(`runs/${id}/stop-replica`, { method: 'POST' })
  for (; run.status === 'underway'; run = await record()) await sleep(20)
  expect(run).toMatchObject({ status: 'success', output: '1\n2\n3\n4\n5\n6\n7' })
  const lost = run.events.findIndex(({ type }) => type === 'replica_lost')
  const replayed = run.events.slice(lost).filter(({ data }) => data.replayed === true)
  expect(replayed.map(({ data }) => data.step)).toEqual([1, 2, 3])
  await platform.said(/replica 1 of agent-3 ended with signal SIGKILL, and is started again/)
  platform.child.kill('SIGTERM')
  expect(await platform.exited).toBe(0)
})

test('replicas without a Redis, and beside an agent in their place, are refused', async () => {
  const node = dirname(process.execPath)
  const noRedis = platformProcess(['--replicas', '2', '--port', '0'], { PATH: node, AGENT_ID: 'agent-3' })
  expect(await noRedis.exited).toBe(1)
  expect(noRedis.output()).toMatch(
    /^--replicas: expected a Redis in REDIS_URL, or redis-server in PATH, got no REDIS_URL/,
  )
  const named = platformProcess(['--replicas', '2', 'agent-7=http://127.0.0.1:1'])
  expect(await named.exited).toBe(64)
  expect(named.output()).toMatch(/--replicas: expected no agent in this project's own place, got one/)
})

test('reports wrong options with their exit code; help is not a fault', async () => {
  const wrong = platformProcess(['seven', '--port', 'x'])
  expect(await wrong.exited).toBe(64)
  expect(wrong.output()).toMatch(/^the options are not valid:\n {2}agent 1: .*\n {2}--port: .*\n$/)
  const noTasks = platformProcess(['--tasks', '/nowhere.yaml'])
  expect(await noTasks.exited).toBe(64)
  expect(noTasks.output()).toBe('/nowhere.yaml: expected a readable file, got ENOENT\n')
  const help = platformProcess(['--help'])
  expect(await help.exited).toBe(0)
  expect(help.output()).toMatch(/^npm run staging -- /)
})

test('reports a foreign database and a port in use in one line', async () => {
  const other = platformProcess(['agent-7=http://127.0.0.1:1', '--port', '0', '--db', AGENT])
  expect(await other.exited).toBe(1)
  expect(other.output()).toBe(
    `${AGENT}: expected an SQLite database, got another kind of file; name another file with --db\n`,
  )
  const { url } = await scriptedAgent(() => {})
  const port = new URL(url).port
  const taken = platformProcess([
    'agent-7=http://127.0.0.1:1',
    '--port',
    port,
    '--db',
    await newFile('platform.db'),
  ])
  expect(await taken.exited).toBe(1)
  expect(taken.output()).toBe(
    `cannot listen on 127.0.0.1, port ${port} (EADDRINUSE): choose another with --port\n`,
  )
})
