import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { CONTESTANTS, type PerContestant, TITLES } from './contestants.ts'
import { lineChart } from './line-chart.ts'
import type { Burst } from './measures/burst.ts'
import type { Growth } from './measures/growth.ts'
import { type Memory, memoryPerRun } from './measures/memory.ts'
import type { Profile } from './measures/profile.ts'
import { contestantTable, figure, table } from './table.ts'
import { type Measured, targets } from './targets.ts'

export interface WholeMeasured extends Measured {
  readonly rounds: readonly Growth[]
  readonly inputs: readonly Growth[]
  readonly profile: Profile
  readonly crowds: readonly { readonly runs: number; readonly bursts: PerContestant<Burst> }[]
}

/** The figures as Markdown; the short form omits those that take minutes. */
export function figures(measured: Measured): string {
  const { runCost, burst, start, memory, studioStartMs } = measured
  const starts = (['bare', ...CONTESTANTS] as const).map(name => {
    const { ms, cpuMs, memory } = start[name]
    return [TITLES[name], figure(ms, 'ms'), figure(cpuMs, 'ms'), figure(memory, 'MB')]
  })
  return [
    table(['', 'measured', 'target', 'met'], targets(measured)),
    '### A run',
    contestantTable(runCost, {
      'CPU time': ({ cpuMs }) => figure(cpuMs, 'ms'),
      'latency, alone': ({ latencyMs }) => figure(latencyMs, 'ms'),
      'bytes to the model': ({ promptBytes }) => String(promptBytes),
    }),
    '### 500 runs at once, a model that takes 500 ms',
    contestantTable(burst, {
      'run p50': ({ runP50 }) => figure(runP50, 'ms'),
      'run p99': ({ runP99 }) => figure(runP99, 'ms'),
      '/health p99': ({ healthP99 }) => figure(healthP99, 'ms'),
      '/health max': ({ healthMax }) => figure(healthMax, 'ms'),
    }),
    '### Start',
    table(
      ['', 'to /health', 'CPU time', 'memory'],
      [...starts, ...(studioStartMs ? [['langgraphjs dev', figure(studioStartMs, 'ms'), '', '']] : [])],
    ),
    '### Memory',
    contestantTable(memory, {
      idle: rows => figure(rows[0]?.held ?? Number.NaN, 'MB'),
      'each run in progress': rows => figure(memoryPerRun(rows) * 1024, 'KB'),
      'peak, all answered at once': rows => figure(rows.at(-1)?.peak ?? Number.NaN, 'MB'),
    }),
  ].join('\n\n')
}

/** Writes the figures to docs/performance.md, the charts to docs/images, and the memory table to docs/deployment.md. */
export function writeReport(measured: WholeMeasured): void {
  const { rounds, inputs, crowds, memory, profile } = measured
  const charts = {
    'cost-by-rounds': lineChart({
      title: 'CPU time of a round, in ms',
      unit: 'rounds of tool calls in the conversation',
      ticks: rounds.map(({ at }) => String(at)),
      lines: CONTESTANTS.map(name => ({ name, values: rounds.map(({ at, cpuMs }) => cpuMs[name] / at) })),
    }),
    'cost-by-input': lineChart({
      title: 'CPU time of a run, in ms',
      unit: 'kB of input',
      ticks: inputs.map(({ at }) => String(at / 1000)),
      lines: CONTESTANTS.map(name => ({ name, values: inputs.map(({ cpuMs }) => cpuMs[name]) })),
    }),
    'latency-by-crowd': lineChart({
      title: 'Median of a run in ms, the model taking 2 × 500',
      unit: 'runs at once',
      ticks: crowds.map(({ runs }) => String(runs)),
      lines: CONTESTANTS.map(name => ({ name, values: crowds.map(({ bursts }) => bursts[name].runP50) })),
    }),
    'health-by-crowd': lineChart({
      title: '/health p99, in ms',
      unit: 'runs at once',
      ticks: crowds.map(({ runs }) => String(runs)),
      lines: CONTESTANTS.map(name => ({ name, values: crowds.map(({ bursts }) => bursts[name].healthP99) })),
    }),
  }
  for (const [name, svg] of Object.entries(charts)) writeFileSync(docs(`images/${name}.svg`), svg)
  const pictures = Object.keys(charts).map(name => `![${name}](images/${name}.svg)`)
  const growth = ['### Growth', ...pictures].join('\n\n')
  replaceRegion('performance.md', 'figures', [machine(), figures(measured), growth].join('\n\n'))
  replaceRegion('performance.md', 'profile', profileTable(profile))
  replaceRegion('deployment.md', 'memory', memoryTable(memory.ours))
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

const LEAST_SHARE = 0.01
const FUNCTIONS_SHOWN = 8

function profileTable(profile: Profile): string {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  const shown = profile.filter(({ share }) => share >= LEAST_SHARE)
  return table(
    ['', 'share', 'functions by their own time'],
    shown.map(({ name, share, functions }) => {
      const largest = functions.slice(0, FUNCTIONS_SHOWN).filter(({ share }) => share >= LEAST_SHARE / 10)
      return [
        name,
        percent(share),
        largest.map(({ name, share }) => `\`${name}\` ${percent(share)}`).join(', '),
      ]
    }),
  )
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
function replaceRegion(file: string, name: string, content: string): void {
  const page = readFileSync(docs(file), 'utf8')
  const region = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*(<!-- /${name} -->)`)
  if (!region.test(page)) throw new Error(`expected a region ${name} in docs/${file}`)
  writeFileSync(
    docs(file),
    page.replace(region, (_, start: string, end: string) => `${start}${content}\n${end}`),
  )
}

function docs(path: string): URL {
  return new URL(`../docs/${path}`, import.meta.url)
}
