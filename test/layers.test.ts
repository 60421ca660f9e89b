import { existsSync, globSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Import, importsOf, isTest, root, source, testFiles } from './imports.ts'

/** The files that may read the environment and pass it on: the processes, and LangGraph Studio's entry. */
const ENTRIES = [
  'packages/rehearsal/check.ts',
  'src/main.ts',
  'src/studio.ts',
  ...globSync('packages/create/templates/*/src/{main,studio}.ts', { cwd: root }),
].sort()
/** Runs in the process of an owner's tests, whose environment says whether to record. */
const IN_TESTS = 'packages/cli/recording.ts'
const SCOPE = '@agent-task-service'
/** Which package may import which others. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/cli': [`${SCOPE}/engine`, `${SCOPE}/rehearsal`, `${SCOPE}/wire`],
  'packages/create': [`${SCOPE}/cli`, `${SCOPE}/engine`, `${SCOPE}/starter`],
  'packages/engine': [`${SCOPE}/messages`, `${SCOPE}/openai-compatible`, `${SCOPE}/wire`],
  'packages/mcp': [`${SCOPE}/engine`, `${SCOPE}/wire`],
  'packages/messages': [`${SCOPE}/wire`],
  'packages/observe': [`${SCOPE}/engine`, `${SCOPE}/wire`],
  'packages/openai-compatible': [`${SCOPE}/messages`, `${SCOPE}/wire`],
  'packages/rehearsal': [`${SCOPE}/wire`],
  'packages/share': [`${SCOPE}/engine`, `${SCOPE}/wire`],
  'packages/starter': [`${SCOPE}/engine`, `${SCOPE}/wire`],
  'packages/wire': [],
}

const filesIn = (layer: string) =>
  globSync(`${layer}/**/*.{ts,tsx}`, { cwd: root })
    .map(file => file.replaceAll('\\', '/'))
    .filter(file => !isTest(file))

const importsIn = (layer: string) => filesIn(layer).flatMap(file => importsOf(file))
const isIn = (layer: string) => (path: string) => path.startsWith(`${layer}/`)

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
  expect(cycleIn(['src', 'graph', 'tools', 'packages'].flatMap(importsIn))).toEqual([])
})

/** The rooms of a package: its folders, and the files beside them. */
const roomOf = (path: string) => path.split('/').slice(0, 3).join('/')

test('between two rooms of the engine, imports go one way', () => {
  const imports = importsIn('packages/engine').filter(({ to }) => isIn('packages/engine')(to))
  const between = imports.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }))
  expect(cycleIn(between.filter(({ from, to }) => from !== to))).toEqual([])
})

const ENGINE = 'packages/engine'
const inAny =
  (...rooms: string[]) =>
  (path: string) =>
    rooms.some(room => isIn(room)(path))
/** Rooms of the engine that the graph's runs, models and tools must not know. */
const SERVICE = ['config', 'http', 'replies', 'tasks', 'telemetry'].map(room => `${ENGINE}/${room}`)

const boundaries: [what: string, rooms: string[], isForbidden: (path: string, from: string) => boolean][] = [
  [
    'runs, models and tools do not know the service around them',
    ['run', 'model', 'nodes', 'tools', 'langchain-cost'].map(room => `${ENGINE}/${room}`),
    inAny(...SERVICE),
  ],
  ['tools do not know the graph or the service', ['tools'], inAny('src', 'graph')],
  ['the graph does not know the process', ['graph'], isIn('src')],
  [
    'the graph knows no tool by name',
    ['graph'],
    path => isIn('tools')(path) || /\/starter\/(calculator|table|time|web-search)/.test(path),
  ],
  [
    'nothing in the agent imports the rehearsal, tests, benchmarks or scripts, nor a package but by its doors',
    ['src', 'graph', 'tools'],
    path => inAny('packages', 'test', 'bench', 'scripts')(path) || path.startsWith(`${SCOPE}/rehearsal`),
  ],
  [
    'tasks know replies, not HTTP',
    ['tasks', 'replies'].map(room => `${ENGINE}/${room}`),
    isIn(`${ENGINE}/http`),
  ],
  [
    'in the rehearsal, an outside agent and the tasks know neither the checks nor the platform',
    ['agents', 'tasks'].map(room => `packages/rehearsal/${room}`),
    inAny(...['checks', 'platform', 'store', 'pages'].map(room => `packages/rehearsal/${room}`)),
  ],
  [
    'LangChain stays out of tasks, the wire, HTTP and telemetry, its types too, except for its tracer',
    SERVICE,
    (path, from) =>
      /^(@langchain\/|langchain\b|langsmith\b)/.test(path) && from !== `${ENGINE}/telemetry/langsmith.ts`,
  ],
]

test("only its owner's tests know the agent: what they make of it turns no other test red", () => {
  const wrong = testFiles
    .flatMap(importsOf)
    .filter(({ from, to }) => inAny('graph', 'tools', 'src')(to) && !isIn('test/own')(from))
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})

test.each(boundaries)('%s', (_what, rooms, isForbidden) => {
  const wrong = rooms.flatMap(importsIn).filter(({ from, to }) => isForbidden(to, from))
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
})

test.each(Object.keys(MAY_IMPORT))('%s imports what it declares, and nothing of the root', folder => {
  const manifest = JSON.parse(source(`${folder}/package.json`)) as Record<string, Record<string, string>>
  const { dependencies, devDependencies, peerDependencies } = manifest
  const declared = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
  const isDeclared = (to: string) => declared.some(name => to === name || to.startsWith(`${name}/`))
  const wrong = importsIn(folder).filter(({ to }) => !isIn(folder)(to) && !isBuiltin(to) && !isDeclared(to))
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  expect(declared.filter(name => name.startsWith(SCOPE)).sort()).toEqual(MAY_IMPORT[folder])
})

test('only the entries read the environment, and pass on all of it', () => {
  const readers = ['src', 'graph', 'tools', 'packages']
    .flatMap(filesIn)
    .filter(file => file !== IN_TESTS)
    .filter(file =>
      /\bprocess\s*(\?\.|\.)\s*env\b|\benv\b[^\n]*(from 'node:process'|= process\b)|\bprocess\[/.test(
        source(file),
      ),
    )
  expect(readers.sort()).toEqual(ENTRIES.filter(file => existsSync(resolve(root, file))))
  for (const file of readers) {
    const uses = source(file).match(/.*\bprocess\.env\b.*/g) ?? []
    expect([file, uses.length]).toEqual([file, 1])
    expect(uses[0]).toMatch(
      /(runProcess\(agent, |inStudio\(definition, |runCheckCommand\(process\.argv\.slice\(2\), )process\.env[,)]/,
    )
  }
})
