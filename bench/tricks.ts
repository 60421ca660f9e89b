/**
 * Measures what each optimisation for speed or memory gains, by switching them off one at a time. Prints a table for
 * docs/performance.md. Run it on an idle machine: node bench/tricks.ts
 */
import { readFile, rm } from 'node:fs/promises'
import type { Plugin } from 'esbuild'
import { bundle } from '../scripts/build.ts'
import { runTasks } from './client.ts'
import { Arena } from './contestants.ts'
import { burstOf, LATENCY_MS } from './measures/burst.ts'
import type { Program } from './program.ts'
import { median } from './statistics.ts'
import { figure, table } from './table.ts'

const FOLDER = 'node_modules/.cache/tricks'
const ROUNDS = 5
const SEMI_SPACE = '--max-semi-space-size=12'

interface Variant {
  /** A replacement in the code. */
  readonly change?: { readonly file: RegExp; readonly from: string; readonly to: string }
  readonly options?: string
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'as it ships': {},
  'runs take turns (`graph/run/fair-share.ts`)': {
    change: { file: /fair-share\.ts$/, from: 'if (!isTaken) {', to: 'if (!isTaken || true) {' },
  },
  "semi-spaces of 12 MB in V8's heap (Dockerfile)": { options: '' },
}

function changed({ file, from, to }: NonNullable<Variant['change']>): Plugin {
  return {
    name: 'changed',
    setup: ({ onLoad }) =>
      onLoad({ filter: file }, async ({ path }) => {
        const text = await readFile(path, 'utf8')
        if (!text.includes(from)) throw new Error(`expected ${JSON.stringify(from)} in ${path}`)
        return { contents: text.replace(from, to), loader: 'ts' }
      }),
  }
}

await using arena = await Arena.create()
const entries = Object.entries(VARIANTS)
const servers: Program[] = []
for (const [index, [, { change, options = SEMI_SPACE }]] of entries.entries()) {
  await bundle('bench/servers/ours.ts', `${FOLDER}/${index}`, change ? [changed(change)] : [])
  servers.push(await arena.startFile(`${FOLDER}/${index}/ours.js`, { NODE_OPTIONS: options }))
}
const cpu = servers.map((): number[] => [])
const health = servers.map((): number[] => [])
for (const { port } of servers) await runTasks(port, 600, 16)
for (let round = 0; round < ROUNDS; round += 1) {
  await arena.conduct({})
  for (const [index, server] of servers.entries()) {
    const before = server.cpuMs
    await runTasks(server.port, 200, 16)
    cpu[index]!.push((server.cpuMs - before) / 200)
  }
  await arena.conduct({ latencyMs: LATENCY_MS })
  for (const [index, server] of servers.entries()) health[index]!.push((await burstOf(server, 300)).healthP99)
}
const rows = entries.map(([name], index) => {
  const ratio = median(cpu[index]!.map((value, round) => value / cpu[0]![round]!))
  const memory = servers[index]!.memory('VmHWM')
  return [name, figure(ratio), figure(median(health[index]!), 'ms'), figure(memory, 'MB')]
})
for (const server of servers) await server[Symbol.asyncDispose]()
await rm(FOLDER, { recursive: true })
const head = ['switched off', 'CPU time of a run / as it ships', '/health p99, 300 at once', 'peak memory']
process.stdout.write(`${table(head, rows)}\n`)
