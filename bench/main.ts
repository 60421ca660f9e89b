/**
 * Compares this service with others that do the same work, and writes the tables of docs/performance.md and
 * docs/deployment.md.
 */
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '../scripts/build.ts'
import { replaceRegion } from '../scripts/region.ts'
import { comparison, figure, machine, table } from './figures.ts'
import { bursts, memories, memoryOf, runs, starts } from './measures.ts'
import { Model } from './model.ts'
import { Server } from './server.ts'

// Refuses arguments.
parseArgs()
await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'))
const model = await Model.start()

/** Bundled, with its packages unchanged. */
async function contestant(name: string): Promise<() => Promise<Server>> {
  const outdir = join(folder.path, name)
  await bundle(`bench/servers/${name}.ts`, outdir)
  return () => Server.start(join(outdir, `${name}.js`), model.env)
}

const ours = await contestant('ours')
const contestants = {
  'this service': ours,
  "LangGraph's prebuilt agent": await contestant('prebuilt-agent'),
  'the AI SDK': await contestant('ai-sdk'),
  'a loop by hand': await contestant('loop-by-hand'),
}
const measures = [
  await runs(contestants, model),
  await bursts(contestants, model),
  await memories(contestants, model),
  await starts(contestants),
]
replaceRegion('performance.md', 'figures', `${machine()}\n\n${comparison(measures)}`)

const rows: string[][] = []
for (const count of [0, 125, 250, 500]) {
  const { heldMb, eachKb, peakMb } = await memoryOf(ours, model, count)
  const each = count === 0 ? '' : `${figure(eachKb)} KB`
  rows.push([String(count), `${figure(heldMb)} MB`, each, `${figure(peakMb)} MB`])
}
const head = ['Concurrent runs', 'Memory while they wait', 'Per run', 'Peak, all answered at once']
replaceRegion('deployment.md', 'memory', table(head, rows))
