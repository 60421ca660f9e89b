/**
 * 500 runs at once against a model that takes 500 ms, this service and a plain one in turn, `/health` polled throughout.
 * Usage: node bench/burst.ts [rounds]
 */
import { request } from 'node:http'
import { type BenchProcess, startProgram } from './processes.ts'

const RUNS = 500
const LATENCY_MS = '500'
const rounds = Number(process.argv[2] ?? 3)

interface Figures {
  /** Milliseconds. */
  readonly runP50: number
  readonly healthP99: number
  readonly healthMax: number
}

function call(port: number, path: string, body?: string): Promise<{ ms: number; text: string }> {
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = request(
      { port, path, method: body === undefined ? 'GET' : 'POST', headers, agent: false },
      response => {
        let text = ''
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ ms: performance.now() - started, text }))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

async function burst({ port }: BenchProcess): Promise<Figures> {
  let isOver = false
  const health: number[] = []
  const poll = (async () => {
    while (!isOver) {
      health.push((await call(port, '/health')).ms)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  })()
  const runs = await Promise.all(
    Array.from({ length: RUNS }, (_, n) =>
      call(port, '/run', JSON.stringify({ task_id: `test-${n}`, input: 'What is 17*23?' })),
    ),
  )
  isOver = true
  await poll
  const wrong = runs.find(({ text }) => !text.includes('391'))
  if (wrong) throw new Error(`a run went wrong: ${wrong.text}`)
  return {
    runP50: quantile(
      runs.map(({ ms }) => ms),
      0.5,
    ),
    healthP99: quantile(health, 0.99),
    healthMax: Math.max(...health),
  }
}

using model = await startProgram('model-server.ts', {}, [LATENCY_MS])
const env = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`, MODEL: 'bench' }
using ours = await startProgram('our-agent.ts', env)
using plain = await startProgram('plain-agent.ts', env)
const table: Record<string, Figures[]> = { ours: [], plain: [] }
// The first round warms both up.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, agent] of Object.entries({ ours, plain })) {
    const figures = await burst(agent)
    if (round > 0) table[name]?.push(figures)
  }
}
const median = (name: string, key: keyof Figures) =>
  quantile(
    (table[name] ?? []).map(figures => figures[key]),
    0.5,
  )
for (const key of ['runP50', 'healthP99', 'healthMax'] as const) {
  const [a, b] = [median('ours', key), median('plain', key)]
  process.stdout.write(
    `${key}: ours ${a.toFixed(0)} ms, plain ${b.toFixed(0)} ms, plain / ours ${(b / a).toFixed(1)}\n`,
  )
}
