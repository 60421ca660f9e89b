/**
 * Measures how fast the platform answers with a long history: records 10,000 runs with their events in a temporary
 * database, then requests every path of the API often enough for a median and a worst case.
 *
 *     node bench/history.ts [runs]
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RecordedEvent } from '../staging/api.ts'
import { createPlatform } from '../staging/platform/platform.ts'
import { createRedact } from '../staging/redact.ts'
import { openStore } from '../staging/store/store.ts'

const RUNS = Number(process.argv[2] ?? 10_000)
const ROUNDS = 40
const HOUR_MS = 3_600_000
const SPAN_MS = 30 * 24 * HOUR_MS
const AGENTS = ['agent-1', 'agent-2', 'agent-3']
const WORDS =
  'the run took a long time and gave the answer that nobody had asked for in the first place'.split(' ')
const TOKEN = 'token-of-the-benchmark'

const folder = mkdtempSync(join(tmpdir(), 'history-'))
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

const recording = performance.now()
for (let number = 0; number < RUNS; number += 1) record(number)
const perRunMs = (performance.now() - recording) / RUNS
const report = { url: 'http://127.0.0.1:1', agentId: AGENTS[0]!, groups: groupsOf(200), requests: 300 }
const check = store.checks.begin(AGENTS[0]!, new Date())
const times = { startedAt: new Date().toISOString(), finishedAt: new Date().toISOString() }
store.checks.end(check.id, new Date(), {
  state: 'passed',
  report: { ...report, ...times, verdict: 'passed' },
})
for (let minute = 0; minute < 240; minute += 1) {
  const at = new Date(Date.now() - (240 - minute) * 30_000).toISOString()
  store.health.addCheck(AGENTS[0]!, { at, ok: true, latencyMs: 3, cause: null })
}

const megabytes = statSync(file).size / 2 ** 20
say(`${RUNS} runs recorded, ${perRunMs.toFixed(2)} ms each; ${megabytes.toFixed(0)} MB\n`)
say(`${'path'.padEnd(64)}  median ms   worst ms   kB`)
for (const path of [
  '/api/agents',
  '/api/agents/agent-1/timeline',
  '/api/runs',
  '/api/runs?limit=200',
  `/api/runs?limit=200&before=${Math.floor(RUNS / 2)}`,
  '/api/runs?agent=agent-2&limit=200',
  '/api/runs?status=timeout',
  '/api/runs?agent=agent-2&status=timeout&violations=true',
  '/api/runs?violations=true',
  '/api/runs?text=nobody',
  '/api/runs?text=stands+nowhere',
  '/api/runs?text=zq',
  '/api/runs?agent=agent-2&status=error&text=stands+nowhere',
  `/api/runs/${Math.floor(RUNS / 2)}`,
  '/api/stats',
  '/api/stats?agent=agent-2',
  '/api/stats?hours=24',
  '/api/runs?by=person',
  '/api/runs?by=checks&limit=200',
  '/api/stats?by=person',
  '/api/agents/agent-1/checks',
  `/api/checks/${check.id}`,
]) {
  await measure(path)
}
store.close()
rmSync(folder, { recursive: true })

async function measure(path: string): Promise<void> {
  const took: number[] = []
  let length = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = performance.now()
    const response = await platform.app.request(path, { headers: { authorization: `Bearer ${TOKEN}` } })
    length = (await response.text()).length
    took.push(performance.now() - from)
    if (response.status !== 200) throw new Error(`expected 200 from ${path}, got ${response.status}`)
  }
  took.sort((a, b) => a - b)
  const [median, worst] = [took[ROUNDS / 2]!, took.at(-1)!].map(ms => ms.toFixed(1).padStart(9))
  say(`${path.padEnd(64)}  ${median}  ${worst}  ${(length / 1000).toFixed(0).padStart(4)}`)
}

/** Records a run at some time in the last month: mostly successes, some of each other kind, texts of 300 to 3,000 characters. */
function record(number: number): void {
  const kind = number % 20
  const status = kind === 0 ? 'error' : kind === 1 ? 'timeout' : kind === 2 ? 'violation' : 'success'
  const metrics = { duration_sec: 1 + (number % 30), input_tokens: 900, output_tokens: 80, steps: 3 }
  const task_id = `test-${number}`
  store.runs.add({
    agentId: AGENTS[number % AGENTS.length]!,
    at: new Date(Date.now() - SPAN_MS + (number * SPAN_MS) / RUNS),
    status,
    httpStatus: kind === 2 ? 502 : 200,
    wallMs: 1_000 + ((number * 7_919) % 29_000),
    request: JSON.stringify({ task_id, input: textOf(60 + (number % 540)) }),
    reply: JSON.stringify({ task_id, status: 'success', output: textOf(60 + (number % 270)), metrics }),
    broken: kind === 2 ? ['metrics: expected an object, got nothing'] : [],
    events: eventsOf(number),
    byChecks: kind > 15,
  })
}

/** Three steps in the form this project's agent streams, with a tool result of 200 to 2,000 characters. */
function eventsOf(number: number): RecordedEvent[] {
  const event = (type: string, at: number, data: object) => ({ type, data: { v: 1, at, ...data } })
  const model = { model: 'gpt-4.1-mini', attempt: 1 }
  const tool = { tool: 'web_search', call_id: `call_${number}` }
  const read = { model: model.model, input_tokens: 450, output_tokens: 40 }
  return [
    event('run_started', 0, {
      task_id: `test-${number}`,
      tools: ['calculator', 'time', 'web_search'],
      limits: {},
    }),
    event('model_started', 0.1, { step: 1, ...model }),
    event('model_finished', 0.9, { step: 1, ...read, tool_calls: [tool.tool] }),
    event('tool_started', 0.9, { step: 2, ...tool, arguments: JSON.stringify({ query: textOf(12) }) }),
    event('tool_finished', 1.4, { step: 2, ...tool, failed: false, result: textOf(40 + (number % 360)) }),
    event('model_started', 1.4, { step: 3, ...model }),
    event('text', 1.5, { step: 3, text: textOf(60 + (number % 270)) }),
    event('model_finished', 2, { step: 3, ...read, tool_calls: [] }),
  ]
}

function textOf(words: number): string {
  return Array.from({ length: words }, (_, index) => WORDS[index % WORDS.length]).join(' ')
}

function groupsOf(assertions: number) {
  const assertion = { id: 'health.shape', title: textOf(10), verdict: 'pass', mandatory: true } as const
  const told = { ...assertion, detail: null, why: textOf(20), how: textOf(20) }
  return [{ id: 'health', title: 'Health', state: 'done', assertions: Array(assertions).fill(told) }] as const
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
