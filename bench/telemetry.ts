/**
 * Measures what telemetry costs when on and off: start-up and the CPU time of a run (one calculator call, two model
 * calls), alternating with a build without any telemetry. Usage: node bench/telemetry.ts [rounds]
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import type { Plugin } from 'esbuild'
import { bundle } from '../scripts/build.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const RUNS = 400
const AT_ONCE = 8
const FOLDER = 'node_modules/.cache/telemetry'
/** Linux's clock tick: `getconf CLK_TCK`. */
const MS_A_TICK = 10

const without: Plugin = {
  name: 'without-telemetry',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]telemetry\.ts$/ }, () => ({
      contents: 'export const startTelemetry = async () => ({ close: async () => {} })',
    }))
    onLoad({ filter: /[\\/]src[\\/]telemetry[\\/]settings\.ts$/ }, () => ({
      contents: 'export const readTelemetry = () => ({ settings: {}, secrets: [], problems: [] })',
    }))
  },
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
const completion = (message: object, finish_reason: string) =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
    usage,
  })
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'calculator', arguments: '{"expression":"17*23"}' },
}
const asks = completion({ tool_calls: [call] }, 'tool_calls')
const answers = completion({ content: '17 × 23 = 391' }, 'stop')

/** Serves as the model and as every telemetry backend. */
const server = createServer((request, response) => {
  const isModel = request.url?.startsWith('/v1/chat')
  let isAnswered = false
  request.on('data', chunk => {
    isAnswered ||= String(chunk).includes('"role":"tool"')
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(isModel ? (isAnswered ? answers : asks) : '{}')
  })
  // A measured service is killed while it is still sending telemetry.
  request.on('error', () => {})
})
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const off = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, LOG_LEVEL: 'warn' }
const otel = { ...off, OTEL_EXPORTER_OTLP_ENDPOINT: url }
const contestants: Record<string, { readonly build: string; readonly env: Record<string, string> }> = {
  'without any': { build: `${FOLDER}/without`, env: off },
  off: { build: `${FOLDER}/with`, env: off },
  'OpenTelemetry, 1 trace in 100': {
    build: `${FOLDER}/with`,
    env: { ...otel, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' },
  },
  OpenTelemetry: { build: `${FOLDER}/with`, env: otel },
  'OpenTelemetry with content': {
    build: `${FOLDER}/with`,
    env: { ...otel, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' },
  },
  LangSmith: {
    build: `${FOLDER}/with`,
    env: { ...off, LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: url, LANGSMITH_API_KEY: 'key' },
  },
}

async function start({ build, env }: (typeof contestants)[string]) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [`${build}/process-entry.js`], {
    env: { ...env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const port = await new Promise<number>(resolve => {
    lines.on('line', line => {
      const { msg, port } = JSON.parse(line)
      if (msg === 'listening') resolve(port)
    })
  })
  return { child, port, startMs: performance.now() - startedAt }
}

/** CPU time of a process so far, in milliseconds. */
function processorMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK
}

async function work(port: number, runs: number): Promise<void> {
  const body = JSON.stringify({ task_id: 'test-1', input: 'What is 17 times 23?' })
  let left = runs
  const worker = async () => {
    while (left-- > 0) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`http://127.0.0.1:${port}/run`, { method: 'POST', headers, body })
      const reply = (await response.json()) as { status: string }
      if (reply.status !== 'success') throw new Error(`expected success, got ${JSON.stringify(reply)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

await bundle('test/support/process-entry.ts', `${FOLDER}/with`)
await bundle('test/support/process-entry.ts', `${FOLDER}/without`, [without])

const running = new Map<string, Awaited<ReturnType<typeof start>>>()
for (const [name, contestant] of Object.entries(contestants)) running.set(name, await start(contestant))
for (const { port } of running.values()) await work(port, 2 * RUNS)
const perRun = new Map([...running.keys()].map(name => [name, [] as number[]]))
const starts = new Map([...running.keys()].map(name => [name, [] as number[]]))
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, { child, port }] of running) {
    const before = processorMs(child)
    await work(port, RUNS)
    perRun.get(name)?.push((processorMs(child) - before) / RUNS)
  }
}
for (const { child } of running.values()) child.kill('SIGKILL')
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, contestant] of Object.entries(contestants)) {
    const { child, startMs } = await start(contestant)
    child.kill('SIGKILL')
    starts.get(name)?.push(startMs)
  }
}
server.closeAllConnections()
server.close()
await rm(FOLDER, { recursive: true })

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const base = perRun.get('without any') ?? []
for (const [name, values] of perRun) {
  const ratio = median(values.map((value, round) => value / (base[round] ?? Number.NaN)))
  const start = median(starts.get(name) ?? [])
  process.stdout.write(
    `| ${name} | ${median(values).toFixed(2)} ms | ${ratio.toFixed(2)} | ${start.toFixed(0)} ms |\n`,
  )
}
