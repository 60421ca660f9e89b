/**
 * Puts together what `npm run create` copies: for each template the files that every agent has, and its own. The agent of this
 * repository is the template `full`.
 */
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentDefinition } from '@agent-task-service/engine'
import { declaredVariables } from '@agent-task-service/engine/config'
import root from '../package.json' with { type: 'json' }
import { isOurs, type Packed, withNeeds } from '../packages/cli/upgrade/offer.ts'

const TEMPLATES = 'packages/create/templates'
/** Of every agent. */
const BASE = 'packages/create/agent'
/** In the root of this repository and of every agent. */
const SHARED = [
  'Dockerfile',
  '.dockerignore',
  'langgraph.json',
  'compose.yaml',
  'compose.override.yaml',
  'deploy/kubernetes.yaml',
]
/** Shared too: they name the packages' scope, which stays. */
const AS_THEY_ARE = ['.npmrc', '.yarnrc.yml']
/** What the template `full` has of this repository; tests move up from `test/own`. */
const FULL = [
  ...['graph', 'tools', 'src', 'compose.fleet.yaml', 'deploy/balancer.conf'],
  ...['test/own/graph.test.ts', 'test/own/system-prompt.test.ts'],
]
const FULL_TASKS = 'packages/rehearsal/tasks/tasks.yaml'
const IGNORED = ['node_modules/', 'dist/', '.env', '.langgraph_api/', '.staging/', 'checks.xml']
/** Of every agent. */
const DEPENDENCIES = [
  ...['cli', 'engine', 'starter', 'wire'].map(name => `@agent-task-service/${name}`),
  ...['@langchain/core', '@langchain/langgraph', 'zod'],
]
const DEV_DEPENDENCIES = ['@types/node', 'typescript', 'vite', 'vitest']
const NAME = 'my-agent'
const VERSION = '0.1.0'
/** Where an agent finds the pages about its packages, and what they were compiled from. */
const PAGES = 'node_modules/@agent-task-service/engine/docs/'
const SOURCES = 'node_modules/@agent-task-service/engine/sources/'

interface Template {
  /** What it shows, in a sentence. */
  readonly idea: string
  /** Packages beyond those that every agent has. */
  readonly dependencies: readonly string[]
  /** A task to send it. */
  readonly try: string
}

/** By name. */
type Offer = ReadonlyMap<string, Packed>

/** Texts by path. */
type Files = Record<string, string>

/**
 * Writes the templates into a folder.
 *
 * @param offer the packed packages, of which an agent has what it needs in its folder `packages`
 */
export async function writeTemplates(folder: string, offer: Offer): Promise<void> {
  for (const name of readdirSync(TEMPLATES)) {
    const files = await projectOf(name, offer)
    for (const [path, text] of Object.entries(files)) {
      // npm leaves some names out of a package.
      const to = join(folder, name, path.replace(/(?<=^|\/)\./g, '_'))
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(to, text)
    }
  }
}

async function projectOf(name: string, offer: Offer): Promise<Files> {
  const folder = join(TEMPLATES, name)
  const { 'template.json': description, 'template.md': page = '', ...own } = filesIn(folder)
  const template = JSON.parse(description!) as Template
  const { agent } = await import(pathToFileURL(resolve(name === 'full' ? '.' : folder, 'src/agent.ts')).href)
  const shared = SHARED.map(path => [path, renamed(textOf(path))])
  const { 'README.md': readme = '', 'AGENTS.md': agents = '', ...base } = filesIn(BASE)
  return {
    ...Object.fromEntries([...shared, ...AS_THEY_ARE.map(path => [path, textOf(path)])]),
    ...base,
    ...own,
    ...(name === 'full' && full()),
    'README.md': readmeOf(readme, template, page),
    'AGENTS.md': agents.replace('{template}', name).replace('{pages}', indexOfPages()),
    'package.json': json(manifestOf(template, offer)),
    'tsconfig.json': json(compilerOptions()),
    '.env.example': renamed(exampleFor(agent)),
    '.gitignore': `${IGNORED.join('\n')}\n`,
  }
}

const textOf = (path: string) => readFileSync(path, 'utf8')

function filesIn(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile(),
  )
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(paths.map(path => [relative(folder, path), textOf(path)]))
}

function full(): Files {
  const own = FULL.flatMap(path =>
    path.includes('.') ? [path] : Object.keys(filesIn(path)).map(file => join(path, file)),
  )
  const files = own.map(path => {
    const text = renamed(textOf(path))
    return path.startsWith('test/own/')
      ? [path.replace('own/', ''), text.replaceAll("'../../", "'../")]
      : [path, text]
  })
  return { ...Object.fromEntries(files), 'tasks.yaml': renamed(textOf(FULL_TASKS)) }
}

/** This repository's name and version become the agent's; its pages and sources are those of the packages. */
function renamed(text: string): string {
  return text
    .replaceAll(/\bagent-task-service(?!\.lockfile|\/)\b/g, NAME)
    .replaceAll(root.version, VERSION)
    .replaceAll(/\bdocs\/(?=[\w/-]+\.md)/g, PAGES)
    .replaceAll('packages/engine/', SOURCES)
}

function readmeOf(text: string, { idea, try: input }: Template, page: string): string {
  const task = JSON.stringify({ task_id: 'test-1', input }).replaceAll("'", "'\\''")
  return text.replace('{idea}', idea).replace('{task}', task).replace('{template}', page.trim())
}

/** What the index says of the pages that are packed: decisions are not. */
function indexOfPages(): string {
  const [packed = ''] = textOf('docs/README.md').split('\n## Decisions\n')
  return packed.slice(packed.indexOf('\n## ')).replaceAll('](', `](${PAGES}`)
}

function manifestOf({ dependencies }: Template, offer: Offer) {
  const named = [...DEPENDENCIES, ...dependencies]
  const ours = withNeeds(named.filter(isOurs), offer)
  const others = named.filter(name => !isOurs(name)).sort()
  const { scripts } = root
  return {
    name: NAME,
    version: VERSION,
    private: true,
    type: 'module',
    engines: root.engines,
    scripts: {
      start: scripts.start,
      dev: scripts.dev,
      studio: scripts.studio,
      build: scripts.build,
      staging: `${scripts.staging} --tasks tasks.yaml`,
      'staging:check': `${scripts['staging:check']} --tasks tasks.yaml`,
      eval: `${scripts.eval} tasks.yaml`,
      docs: 'agent docs',
      record:
        'RECORD=1 exec node --import @agent-task-service/cli/dot-env node_modules/vitest/vitest.mjs run',
      types: 'tsc --noEmit',
      test: 'npm run types --silent && vitest run',
    },
    dependencies: {
      ...Object.fromEntries(ours.map(({ name, file }) => [name, `file:packages/${file}`])),
      ...versionsOf(others),
    },
    devDependencies: versionsOf(DEV_DEPENDENCIES),
    // The Node that runs the npm scripts.
    optionalDependencies: root.optionalDependencies,
    // Without these, npm would ask the registry for what the packages need of each other, which others may own there.
    overrides: {
      ...root.overrides,
      ...Object.fromEntries(ours.map(({ name }) => [name, `$${name}`])),
    },
  }
}

/** As this repository and its packages have them. */
function versionsOf(names: readonly string[]): Record<string, string> {
  const manifests = ['package.json', ...globSync('packages/*/package.json')].map(read)
  const known: Record<string, string> = Object.assign(
    {},
    ...manifests.map(({ devDependencies, dependencies }) => ({ ...devDependencies, ...dependencies })),
  )
  return Object.fromEntries(
    names.map(name => {
      if (known[name] === undefined)
        throw new Error(`expected a version of ${name} in a package.json, got none`)
      return [name, known[name]]
    }),
  )
}

function read(path: string) {
  return JSON.parse(textOf(path))
}

function compilerOptions() {
  const { exclude: _, ...config } = read('tsconfig.json')
  return { ...config, include: ['src', 'graph', 'tools', 'lib', 'test', 'vitest.config.ts'] }
}

/** The lines of `.env.example` about the variables that an agent reads, without sections that have none of them. */
function exampleFor(agent: AgentDefinition): string {
  const names = Object.keys(declaredVariables(agent))
  const isShown = (line: string) => names.includes(/^# ([A-Z_]+)=/.exec(line)?.[1] ?? names[0]!)
  const sections = textOf('.env.example').split(/\n(?=# --- )/)
  const shown = sections.map(section => section.split('\n').filter(isShown).join('\n'))
  return shown.filter((section, index) => index === 0 || /^# [A-Z_]+=|tracing\.md/m.test(section)).join('\n')
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
