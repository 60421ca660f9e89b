/**
 * Measures how fast the rehearsal answers with a long history: records 10,000 runs with their events in a temporary
 * database, then requests the slower paths of its API. Usage: node bench/history.ts [runs]
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlatform } from '../staging/platform/platform.ts'
import { createRedact } from '../staging/redact.ts'
import { openStore } from '../staging/store/store.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const RUNS = Number(process.argv[2] ?? 10_000)
const REQUESTS = 40
const SPAN_MS = 30 * 24 * 3_600_000
const AGENTS = ['agent-1', 'agent-2', 'agent-3']
const WORDS =
  'the run took a long time and gave the answer that nobody had asked for in the first place'.split(' ')
const TOKEN = 'token-of-the-benchmark'
const PATHS = [
  '/api/runs?limit=200',
  '/api/runs?by=checks&limit=200',
  '/api/runs?status=timeout',
  '/api/runs?text=nobody',
  '/api/runs?text=zq',
  `/api/runs/${RUNS / 2}`,
  '/api/stats',
  '/api/agents/agent-1/timeline',
]

const folder = await mkdtemp(join(tmpdir(), 'history-'))
const file = join(folder, 'platform.db')
const redact = createRedact([TOKEN])
const store = openStore(file, redact)
const platform = createPlatform({
  agents: AGENTS.map(id => ({ id, url: 'http://127.0.0.1:1' })),
  token: TOKEN,
  store,
  redact,
  runChecks: () => Promise.reject(new Error('no checks here')),
})
for (let number = 0; number < RUNS; number += 1) record(number)
const rows: string[][] = []
for (const path of PATHS) rows.push([`\`${path}\``, ...(await timesOf(path))])
const { size } = await stat(file)
store.close()
await rm(folder, { recursive: true })
process.stdout.write(`${RUNS} runs, ${(size / 2 ** 20).toFixed(0)} MB\n\n`)
process.stdout.write(`${table(['path', 'median', `worst of ${REQUESTS}`], rows)}\n`)

async function timesOf(path: string): Promise<readonly string[]> {
  const times: number[] = []
  while (times.length < REQUESTS) {
    const startedAt = performance.now()
    const response = await platform.app.request(path, { headers: { authorization: `Bearer ${TOKEN}` } })
    await response.text()
    times.push(performance.now() - startedAt)
    if (response.status !== 200) throw new Error(`expected 200 from ${path}, got ${response.status}`)
  }
  return [figure(median(times), 'ms'), figure(Math.max(...times), 'ms')]
}

/** Records a run at some time in the last month: one in twenty of each failure, texts of 60 to 600 words, some events. */
function record(number: number): void {
  const kind = number % 20
  const status = (['error', 'timeout', 'violation'] as const)[kind] ?? 'success'
  const metrics = { duration_sec: 1 + (number % 30), input_tokens: 900, output_tokens: 80, steps: 3 }
  const task_id = `test-${number}`
  const call = { v: 1, step: 2, tool: 'web_search', call_id: `call_${number}` }
  const result = textOf(40 + (number % 360))
  store.runs.add({
    agentId: AGENTS[number % AGENTS.length]!,
    at: new Date(Date.now() - SPAN_MS + (number * SPAN_MS) / RUNS),
    status,
    httpStatus: status === 'violation' ? 502 : 200,
    wallMs: 1_000 + ((number * 7_919) % 29_000),
    request: JSON.stringify({ task_id, input: textOf(60 + (number % 540)) }),
    reply: JSON.stringify({ task_id, status: 'success', output: textOf(60 + (number % 270)), metrics }),
    broken: status === 'violation' ? ['metrics: expected an object, got nothing'] : [],
    events: [
      { type: 'tool_started', data: { ...call, at: 0.9, arguments: JSON.stringify({ query: textOf(12) }) } },
      { type: 'tool_finished', data: { ...call, at: 1.4, failed: false, result } },
      { type: 'text', data: { v: 1, at: 1.5, step: 3, text: result } },
    ],
    byChecks: kind > 15,
  })
}

function textOf(words: number): string {
  return Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length]).join(' ')
}
