import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { SourceMap, type SourceMapping } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Arena } from '../arena.ts'
import { runTasks } from '../client.ts'

const AT_ONCE = 16
const WARM_UP = 1500

/** Where a contestant's CPU time goes, largest part first. */
export type Profile = readonly Part[]

export interface Part {
  /** A package, a folder of this project, or a part of Node. */
  readonly name: string
  /** Share of all samples that were not idle, 0 to 1. */
  readonly share: number
  /** Its functions by self time, largest first. */
  readonly functions: readonly { readonly name: string; readonly share: number }[]
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame }[]
  readonly samples: readonly number[]
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[]
}

interface Frame {
  readonly functionName: string
  readonly url: string
  /** From 0. */
  readonly lineNumber: number
  readonly columnNumber: number
}

/** Runs the tasks of `measureRunCost` under V8's sampling profiler, ignoring the warm-up. */
export async function measureProfile<Name extends string>(
  arena: Arena<Name>,
  name: Name,
  runs: number,
): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'))
  try {
    await arena.conduct({})
    const startedAt = performance.now()
    const server = await arena.start(name, ['--cpu-prof', `--cpu-prof-dir=${folder}`])
    await runTasks(server.port, WARM_UP, AT_ONCE)
    const warmAfterMs = performance.now() - startedAt
    await runTasks(server.port, runs, AT_ONCE)
    await server.end()
    const [file] = await readdir(folder)
    return await partsOf(JSON.parse(await readFile(join(folder, file!), 'utf8')), warmAfterMs)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function partsOf({ nodes, samples, timeDeltas }: CpuProfile, warmAfterMs: number): Promise<Profile> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const maps = new Map<string, SourceMap>()
  const parts = new Map<string, Map<string, number>>()
  let total = 0
  let at = 0
  for (const [index, id] of samples.entries()) {
    const spent = timeDeltas[index] ?? 0
    at += spent
    const frame = frames.get(id)
    if (at < warmAfterMs * 1000 || !frame || frame.functionName === '(idle)') continue
    const { part, name } = await place(frame, maps)
    const functions = parts.get(part) ?? new Map<string, number>()
    functions.set(name, (functions.get(name) ?? 0) + spent)
    parts.set(part, functions)
    total += spent
  }
  const descending = (a: { share: number }, b: { share: number }) => b.share - a.share
  return [...parts]
    .map(([name, spent]) => {
      const functions = [...spent].map(([name, time]) => ({ name, share: time / total })).sort(descending)
      return { name, share: functions.reduce((sum, { share }) => sum + share, 0), functions }
    })
    .sort(descending)
}

/** Where a place in a bundle comes from: a function of a package, or of a folder of this project. */
async function place({ functionName, url, lineNumber, columnNumber }: Frame, maps: Map<string, SourceMap>) {
  const name = functionName || '(anonymous)'
  if (!url.startsWith('file:')) return { part: name === '(garbage collector)' ? name : 'Node', name }
  const bundle = fileURLToPath(url)
  const map = maps.get(url) ?? new SourceMap(JSON.parse(await readFile(`${bundle}.map`, 'utf8')))
  maps.set(url, map)
  const entry: Partial<SourceMapping> & { readonly name?: string } = map.findEntry(lineNumber, columnNumber)
  const source = join(dirname(bundle), entry.originalSource ?? '')
  const [, dependency] = /.*\/node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(source) ?? []
  const [, folder] = /\/(src|graph|tools)\//.exec(source) ?? []
  return { part: dependency ?? (folder ? `${folder}/` : 'the bundle'), name: entry.name ?? name }
}
