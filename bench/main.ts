/**
 * Compares this service with others that do the same work, and writes the tables and the picture of docs/reference/performance.md and
 * the memory table of docs/guides/deployment.md.
 *
 * Usage: node bench/main.ts [names of series, mixtures or crowds, which it measures and prints alone]
 */
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '@agent-task-service/cli/bundle'
import { replaceRegion } from '@agent-task-service/cli/documents'
import { comparison, figure, machine, type Round, table } from './figures.ts'
import { costs, crowd, memoryOf, runs, slopes, starts } from './measures.ts'
import { Model } from './model.ts'
import { picture } from './picture.ts'
import { crowds, type Kind, mixtures, series } from './series.ts'
import { Server } from './server.ts'

const { positionals: wanted } = parseArgs({ allowPositionals: true })
const names = [...mixtures, ...series, ...crowds].map(({ name }) => name)
const unknown = wanted.filter(name => !names.includes(name))
if (unknown.length > 0) throw new Error(`expected names of ${names.join(', ')}; got ${unknown.join(', ')}`)
const isWanted = ({ name }: { readonly name: string }) => wanted.length === 0 || wanted.includes(name)
await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'))
const model = await Model.start()

/** Bundled, with its packages unchanged. */
async function contestant(name: string, ownEnv: Record<string, string> = {}) {
  const outdir = join(folder.path, name)
  await bundle(`bench/servers/${name}.ts`, outdir)
  return (env: Record<string, string> = {}) =>
    Server.start(join(outdir, `${name}.js`), { ...model.env, ...ownEnv, ...env })
}

const ours = await contestant('ours')
const contestants = {
  'this service': ours,
  'LangGraph, invoked': await contestant('langgraph'),
  'LangGraph, streamed': await contestant('langgraph', { STREAM: 'messages' }),
  'the AI SDK, streamed': await contestant('ai-sdk'),
  'a loop by hand, streamed': await contestant('loop-by-hand'),
}

const measuredSeries = series.filter(isWanted)
const kinds: readonly Kind[] = [...mixtures.filter(isWanted), ...measuredSeries.flatMap(({ sizes }) => sizes)]
const measured = new Map((await costs(contestants, kinds)).map((rounds, index) => [kinds[index]!, rounds]))
const roundsOf = ({ sizes }: (typeof series)[number]) => sizes.map(kind => measured.get(kind)!)
const slopeRounds = measuredSeries.map(each => slopes(each, roundsOf(each)))
const crowdRounds: Round[][] = []
for (const each of crowds.filter(isWanted)) crowdRounds.push(await crowd(contestants, model, each))

/** Each table in its region of the page. */
const tables: Record<string, readonly (readonly Round[])[]> = {
  costs: [...measured.values()],
  slopes: slopeRounds,
  crowds: crowdRounds,
}
if (wanted.length === 0) {
  // The slopes and the picture have what the sizes of series take.
  tables.costs = mixtures.map(kind => measured.get(kind)!)
  tables.figures = [await runs(contestants, model), await starts(contestants)]
  for (const [name, rounds] of Object.entries(tables))
    replaceRegion('reference/performance.md', name, `${machine()}\n\n${comparison(rounds)}`)
  const svg = picture(series.map(each => ({ ...each, rounds: roundsOf(each) })))
  await writeFile(new URL('../docs/images/slopes.svg', import.meta.url), svg)
  replaceRegion('guides/deployment.md', 'memory', await memoryTable())
} else
  for (const rounds of Object.values(tables).filter(({ length }) => length > 0))
    process.stdout.write(`${comparison(rounds)}\n\n`)

async function memoryTable(): Promise<string> {
  const rows: string[][] = []
  for (const count of [0, 125, 250, 500]) {
    const { heldMb, eachKb, peakMb } = await memoryOf(ours, model, count)
    const each = count === 0 ? '' : `${figure(eachKb)} KB`
    rows.push([String(count), `${figure(heldMb)} MB`, each, `${figure(peakMb)} MB`])
  }
  return table(['Concurrent runs', 'Memory while they wait', 'Per run', 'Peak, all answered at once'], rows)
}
