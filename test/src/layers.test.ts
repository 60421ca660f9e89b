import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The files that may read the environment and pass it on: the processes, and LangGraph Studio's entry. */
const ENTRIES = ['src/main.ts', 'src/studio.ts', 'staging/check.ts', 'staging/main.ts']
/** What both sides of the interface share, and the forms of secrets. */
const WIRE = ['src/wire/contract.ts', 'src/wire/run-events.ts', 'src/scrub.ts']

interface Import {
  readonly from: string
  /** A path from the root for a file of the project; otherwise the specifier. */
  readonly to: string
}

const filesIn = (layer: string) =>
  globSync(`${layer}/**/*.{ts,tsx}`, { cwd: root }).map(file => file.replaceAll('\\', '/'))
const source = (file: string) => readFileSync(resolve(root, file), 'utf8')

/** Everything a source imports: static, dynamic, re-exported, types included. */
function importsOf(file: string): Import[] {
  const code = source(file).replace(/^\s*(\/\/|\/?\*).*$/gm, '')
  const specifiers = [...code.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*(['"`])([^'"`\n]+)\1/g)]
  return specifiers.map(([, , specifier = '']) => {
    const isFile = specifier.startsWith('.')
    return { from: file, to: isFile ? relative(root, resolve(root, dirname(file), specifier)) : specifier }
  })
}

const importsIn = (layer: string) => filesIn(layer).flatMap(file => importsOf(file))
const isIn = (layer: string) => (path: string) => path.startsWith(`${layer}/`)
const isLangChain = (path: string) => /^(@langchain\/|langchain\b|langsmith\b)/.test(path)

/** A layer's imports of a kind that it may not have. */
function wrongWays(layer: string, isForbidden: (path: string, from: string) => boolean): string[] {
  return importsIn(layer)
    .filter(({ from, to }) => isForbidden(to, from))
    .map(({ from, to }) => `${from} imports ${to}`)
}

/** The files in an import cycle, types included; empty if there is none. */
function cycleIn(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const { to } of targets.get(file) ?? []) {
      const cycle = visit(to, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  for (const file of targets.keys()) {
    const cycle = visit(file, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

test('there are no import cycles', () => {
  expect(cycleIn(['src', 'graph', 'tools', 'staging'].flatMap(importsIn))).toEqual([])
})

test('tools import neither src nor graph', () => {
  expect(wrongWays('tools', path => isIn('src')(path) || isIn('graph')(path))).toEqual([])
})

test('graph does not import src', () => {
  expect(wrongWays('graph', isIn('src'))).toEqual([])
})

const SHARED = ['tools/tool.ts', 'tools/time-limit.ts']

test('graph knows tools only by their interface, except the offline model, which needs their vocabulary', () => {
  const isForbidden = (path: string, from: string) =>
    isIn('tools')(path) && !SHARED.includes(path) && !from.startsWith('graph/model/offline-model/')
  expect(wrongWays('graph', isForbidden)).toEqual([])
})

test('nothing in the agent imports staging, tests, benchmarks or scripts', () => {
  for (const layer of ['src', 'graph', 'tools']) {
    expect(wrongWays(layer, path => /^(staging|test|bench|scripts)\//.test(path))).toEqual([])
  }
})

test('tasks and replicas know the wire, not HTTP', () => {
  const isHttp = isIn('src/http')
  expect(['src/tasks', 'src/fleet', 'src/wire'].flatMap(room => wrongWays(room, isHttp))).toEqual([])
})

test('staging knows only the wire', () => {
  const isForbidden = (path: string) =>
    isIn('graph')(path) || isIn('tools')(path) || (isIn('src')(path) && !WIRE.includes(path))
  expect(wrongWays('staging', isForbidden)).toEqual([])
})

test('in staging, an outside agent and the tasks know neither the checks nor the platform', () => {
  for (const room of ['staging/agents', 'staging/tasks']) {
    expect(wrongWays(room, path => /^staging\/(checks|platform|store|pages)\//.test(path))).toEqual([])
  }
})

test('the wire needs nothing but zod', () => {
  const imports = WIRE.flatMap(file => importsOf(file)).map(({ to }) => to)
  expect(imports.filter(to => to !== 'zod' && !WIRE.includes(to))).toEqual([])
})

test('LangChain stays in graph and tools, its types too, except for its tracer', () => {
  expect(importsIn('graph').some(({ to }) => isLangChain(to))).toBe(true)
  const isStray = (to: string, from: string) => isLangChain(to) && from !== 'src/telemetry/langsmith.ts'
  expect(wrongWays('src', isStray)).toEqual([])
})

test('only the entries read the environment, and pass on all of it', () => {
  const readers = ['src', 'graph', 'tools', 'staging']
    .flatMap(filesIn)
    .filter(file =>
      /\bprocess\s*(\?\.|\.)\s*env\b|\benv\b[^\n]*(from 'node:process'|= process\b)|\bprocess\[/.test(
        source(file),
      ),
    )
  expect(readers).toEqual(ENTRIES.filter(file => existsSync(resolve(root, file))))
  for (const file of readers) {
    const uses = source(file).match(/.*\bprocess\.env\b.*/g) ?? []
    expect([file, uses.length]).toEqual([file, 1])
    expect(uses[0]).toMatch(/(readConfig|runProcess|runPlatform)\(process\.env[,)]|\{ env: process\.env, /)
  }
})
