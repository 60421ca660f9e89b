import { cpus, totalmem } from 'node:os'
import { replaceRegion } from '../scripts/region.ts'
import type { Burst } from './measures/burst.ts'
import { type Memory, memoryPerRun } from './measures/memory.ts'
import type { RunCost } from './measures/run-cost.ts'
import type { Start } from './measures/start.ts'
import { type Measured, median, medians, quantile } from './statistics.ts'
import { contestantTable, figure, table } from './table.ts'

const PREBUILT = 'Hono + LangGraph prebuilt agent'
const OURS = 'this service'
/** Each is bundled, with its packages unchanged. */
export const CONTESTANTS = {
  'node:http, loop by hand (the floor)': { server: 'floor' },
  'Hono + openai SDK, loop by hand': { server: 'hand-loop' },
  'Hono + AI SDK': { server: 'ai-sdk' },
  [PREBUILT]: { server: 'prebuilt' },
  [OURS]: { server: 'ours' },
} as const

type Name = keyof typeof CONTESTANTS

interface Comparison {
  /** Round by round, as is the next. */
  readonly runCost: readonly Measured<Name, RunCost>[]
  readonly burst: readonly Measured<Name, Burst>[]
  readonly start: Measured<Name, Start>
  readonly memory: Measured<Name, readonly Memory[]>
}

/** The figures as Markdown. */
export function figures({ runCost, burst, start, memory }: Comparison): string {
  const ratio = (what: string, of: (name: Name) => number) => [what, figure(of(OURS) / of(PREBUILT)), '']
  /** The median over the rounds, with its quartiles. */
  const ratios = <Row>(what: string, rounds: readonly Measured<Name, Row>[], of: (row: Row) => number) => {
    const each = rounds.map(round => of(round[OURS]) / of(round[PREBUILT]))
    const quartiles = [0.25, 0.75].map(share => figure(quantile(each, share)))
    return [what, figure(median(each)), quartiles.join(' to ')]
  }
  const peak = (rows: readonly Memory[]) => rows.at(-1)?.peak ?? Number.NaN
  return [
    table(
      ['this service / the prebuilt agent', 'median', 'quartiles of the rounds'],
      [
        ratios('CPU time of a run', runCost, ({ cpuMs }) => cpuMs),
        ratios('latency of a run alone', runCost, ({ latencyMs }) => latencyMs),
        ratios('500 at once: p50 of a run', burst, ({ runP50 }) => runP50),
        ratios('500 at once: p95 of a run', burst, ({ runP95 }) => runP95),
        ratios('500 at once: p99 of /health', burst, ({ healthP99 }) => healthP99),
        ratio('memory of a run in progress', name => memoryPerRun(memory[name])),
        ratio('peak memory', name => peak(memory[name])),
      ],
    ),
    '### A run',
    contestantTable(medians(runCost), {
      'CPU time': ({ cpuMs }) => figure(cpuMs, 'ms'),
      'latency, alone': ({ latencyMs }) => figure(latencyMs, 'ms'),
      'bytes to the model': ({ promptBytes }) => promptBytes.toFixed(0),
    }),
    '### 500 runs at once, a model that takes 500 ms',
    contestantTable(medians(burst), {
      'run p50': ({ runP50 }) => figure(runP50, 'ms'),
      'run p95': ({ runP95 }) => figure(runP95, 'ms'),
      '/health p99': ({ healthP99 }) => figure(healthP99, 'ms'),
    }),
    '### Start',
    contestantTable(start, {
      'to /health': ({ ms }) => figure(ms, 'ms'),
      'CPU time': ({ cpuMs }) => figure(cpuMs, 'ms'),
      memory: ({ memory }) => figure(memory, 'MB'),
      'first task': ({ first }) => figure(first, 'ms'),
      second: ({ second }) => figure(second, 'ms'),
    }),
    '### Memory',
    contestantTable(memory, {
      idle: rows => figure(rows[0]?.held ?? Number.NaN, 'MB'),
      'each run in progress': rows => figure(memoryPerRun(rows) * 1024, 'KB'),
      'peak, all answered at once': rows => figure(peak(rows), 'MB'),
    }),
  ].join('\n\n')
}

/** Writes the figures to docs/performance.md, and the memory table to docs/deployment.md. */
export function writeReport(measured: Comparison): void {
  replaceRegion('performance.md', 'figures', `${machine()}\n\n${figures(measured)}`)
  replaceRegion('deployment.md', 'memory', memoryTable(measured.memory[OURS]))
}

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = (totalmem() / 2 ** 30).toFixed(0)
  const day = new Date().toISOString().slice(0, 10)
  return `${day}: ${cpus().length} × ${model}, ${memory} GB, ${process.platform}, Node ${process.version}.`
}

function memoryTable(rows: readonly Memory[]): string {
  const idle = rows[0]?.held ?? Number.NaN
  return table(
    ['Concurrent runs', 'Memory while they wait', 'Per run', 'Peak, all answered at once'],
    rows.map(({ runs, held, peak }) => {
      const each = runs === 0 ? '' : figure(((held - idle) / runs) * 1024, 'KB')
      return [String(runs), figure(held, 'MB'), each, figure(peak, 'MB')]
    }),
  )
}
