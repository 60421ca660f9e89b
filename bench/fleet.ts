/**
 * Measures what sharing tasks through Redis costs: start-up, memory, and the CPU time and latency of a run (one
 * tool call, two model calls), alternating with and without `REDIS_URL`. Needs Debian's redis-server.
 * Usage: node bench/fleet.ts [folder of another checkout to compare with, after `npm ci` in it]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../scripts/build.ts'
import { freePort } from '../test/support/free-port.ts'
import { Program } from './program.ts'
import { median } from './statistics.ts'
import { table } from './table.ts'

const [other] = process.argv.slice(2)
const PROCESSES = 2
const BATCHES = 4
const RUNS = 100
const AT_ONCE = 8
const OPTIONS = ['--max-semi-space-size=12']

const folder = await mkdtemp(join(tmpdir(), 'fleet-'))
await bundle('bench/servers/ours.ts', join(folder, 'ours'))
await bundle('bench/servers/model.ts', join(folder, 'model'))
if (other) {
  const { bundle: bundleOther } = await import(pathToFileURL(resolve(other, 'scripts/build.ts')).href)
  await bundleOther(resolve(other, 'bench/servers/ours.ts'), join(folder, 'other'))
}
const model = await Program.start(join(folder, 'model', 'model.js'))
const port = await freePort()
const redis = spawn('redis-server', ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
await once(redis.stdout, 'data')

const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1` }
const ours = join(folder, 'ours', 'ours.js')
const contestants: Record<string, { readonly file: string; readonly env: Record<string, string> }> = {
  ...(other && { 'the other checkout': { file: join(folder, 'other', 'ours.js'), env } }),
  'without `REDIS_URL`': { file: ours, env },
  'with `REDIS_URL`': { file: ours, env: { ...env, REDIS_URL: `redis://127.0.0.1:${port}` } },
}

async function run(at: number): Promise<number> {
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ task_id: crypto.randomUUID(), input: 'What is 17 times 23?' })
  const response = await fetch(`http://127.0.0.1:${at}/run`, { method: 'POST', headers, body })
  const { status } = (await response.json()) as { status: string }
  if (status !== 'success') throw new Error(`expected success, got ${status}`)
  return performance.now() - startedAt
}

async function runs(at: number): Promise<void> {
  let left = RUNS
  const worker = async () => {
    while (left-- > 0) await run(at)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const measured = Object.keys(contestants).map(name => ({
  ...{ name, startMs: [] as number[], startCpuMs: [] as number[], memory: [] as number[] },
  ...{ cpuMs: [] as number[], latencyMs: [] as number[] },
}))
for (let process = 0; process < PROCESSES; process += 1) {
  const servers: Program[] = []
  for (const [n, { file, env }] of Object.values(contestants).entries()) {
    const startedAt = performance.now()
    const server = await Program.start(file, env, OPTIONS)
    await fetch(`http://127.0.0.1:${server.port}/health`)
    measured[n]?.startMs.push(performance.now() - startedAt)
    measured[n]?.startCpuMs.push(server.cpuMs)
    measured[n]?.memory.push(server.memory('VmRSS'))
    servers.push(server)
  }
  for (const { port } of servers) await runs(port)
  for (let batch = 0; batch < BATCHES; batch += 1) {
    for (const [n, server] of servers.entries()) {
      const before = server.cpuMs
      await runs(server.port)
      measured[n]?.cpuMs.push((server.cpuMs - before) / RUNS)
      for (let alone = 0; alone < 30; alone += 1) measured[n]?.latencyMs.push(await run(server.port))
    }
  }
  for (const server of servers) await server[Symbol.asyncDispose]()
}
await model[Symbol.asyncDispose]()
redis.kill('SIGKILL')
await rm(folder, { recursive: true })

const ms = (values: readonly number[]) => `${median(values).toFixed(2)} ms`
process.stdout.write(
  table(
    ['', 'start', 'its CPU time', 'memory', 'CPU time of a run', 'latency, alone'],
    measured.map(({ name, startMs, startCpuMs, memory, cpuMs, latencyMs }) => [
      ...[name, ms(startMs), ms(startCpuMs), `${median(memory).toFixed(1)} MB`, ms(cpuMs), ms(latencyMs)],
    ]),
  ),
)
