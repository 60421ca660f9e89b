/**
 * Measures what a setting costs: this service as it ships, then with one setting changed at a time, in turn.
 * Usage: [REDIS_URL=redis://127.0.0.1:6379] node bench/settings.ts
 */
import { Arena, type Contestant } from './arena.ts'
import { measureRunCost } from './measures/run-cost.ts'
import { measureStart } from './measures/start.ts'
import { medians } from './statistics.ts'
import { contestantTable, figure } from './table.ts'

const { REDIS_URL } = process.env

function contestants(url: string): Record<string, Contestant> {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: url }
  const changed: Record<string, Record<string, string>> = {
    'as it ships': {},
    'the offline model': { MODEL_PROVIDER: 'offline' },
    'no `--max-semi-space-size`': { NODE_OPTIONS: '' },
    OpenTelemetry: collector,
    'OpenTelemetry with content': {
      ...collector,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
    LangSmith: { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: url, LANGSMITH_API_KEY: 'key' },
    ...(REDIS_URL && { '`REDIS_URL`': { REDIS_URL } }),
  }
  return Object.fromEntries(Object.entries(changed).map(([name, env]) => [name, { server: 'ours', env }]))
}

await using arena = await Arena.create(contestants)
const runs = medians(await measureRunCost(arena, { processes: 1, batches: 8, runs: 60, warmUp: 400 }))
const starts = await measureStart(arena, 3)
const both = await arena.inTurn(async name => ({ run: runs[name]!, start: starts[name]! }))
const base = both['as it ships']!
const columns: Record<string, (row: typeof base) => string> = {
  'CPU time of a run': ({ run }) => figure(run.cpuMs, 'ms'),
  ratio: ({ run }) => figure(run.cpuMs / base.run.cpuMs),
  'latency, alone': ({ run }) => figure(run.latencyMs, 'ms'),
  'peak memory': ({ run }) => figure(run.peakMemory, 'MB'),
  start: ({ start }) => figure(start.ms, 'ms'),
  'idle memory': ({ start }) => figure(start.memory, 'MB'),
  'first task': ({ start }) => figure(start.first, 'ms'),
}
process.stdout.write(`${contestantTable(both, columns)}\n`)
