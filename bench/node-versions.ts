/**
 * Compares this service on several versions of Node, and writes the table of docs/decisions/node-versions.md. The first is
 * the base of the ratios.
 *
 * Usage: node bench/node-versions.ts <path of a node> <path of another>
 */
import { execFileSync } from 'node:child_process'
import { mkdtempDisposable, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '@agent-task-service/cli/bundle'
import { replaceRegion } from '@agent-task-service/cli/documents'
import { comparison, machine, type Round } from './figures.ts'
import { type Contestants, crowd, runs, starts } from './measures.ts'
import { Model } from './model.ts'
import { crowds } from './series.ts'
import { Server } from './server.ts'

/** Processes of the same program differ, so each measure is repeated with new ones: 12 bursts, 28 starts. */
const PASSES = 4

const paths = process.argv.slice(2)
if (paths.length < 2)
  throw new Error(`expected the paths of two or more versions of Node, got ${paths.length}`)

await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-'))
const model = await Model.start()
await bundle('bench/servers/ours.ts', folder.path)
const file = join(folder.path, 'ours.js')

const versions = paths.map(path => ({ path, name: `Node ${execFileSync(path, ['--version'])}`.trim() }))
const contestants: Contestants = Object.fromEntries(
  versions.map(({ path, name }) => [name, () => Server.start(file, model.env, path)]),
)

const sizes = await Promise.all(
  versions.map(async ({ path, name }) => [
    name,
    { 'size of the program, MB': (await stat(path)).size / 1e6 },
  ]),
)
const measures: Round[][] = [[Object.fromEntries(sizes)]]
const atOnce = (all: Contestants) => crowd(all, model, crowds[0]!)
for (const measure of [runs, atOnce, starts]) {
  const measured: Round[] = []
  for (let pass = 0; pass < PASSES; pass += 1) measured.push(...(await measure(contestants, model)))
  measures.push(measured)
}
replaceRegion('decisions/node-versions.md', 'figures', `${machine()}\n\n${comparison(measures)}`)
