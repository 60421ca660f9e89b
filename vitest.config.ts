import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'

/** Where tests are: beside each package, in each template of an agent, and for the whole in `test/`. */
export const TESTS = ['packages/*/test', 'packages/create/templates/*/test', 'test']

const all = TESTS.map(folder => `${folder}/**/*.test.ts`)
/**
 * Replaces a module or something global, which other files in the same worker would meet, or use up. A stub that the test
 * takes back, a date or an interval disturbs none of them.
 */
const REPLACES =
  /\bvi\.(?:mock|useFakeTimers)\((?!\{ toFake: \['(?:Date|setInterval)')|\bvi\.spyOn\((?:globalThis|dns)\b|\bprocess\.env\.\w+ = /
const alone = globSync(all).filter(file => REPLACES.test(readFileSync(file, 'utf8')))

/** Tests of what holds over either of OpenAI's APIs, where requests are written and replies read; they run over both. */
const BOTH_APIS = [
  'packages/engine/test/model/{provider-trust,retries,streaming}.test.ts',
  'packages/engine/test/nodes/{tool-calls,tool-results}.test.ts',
  'packages/engine/test/run/{limits,money}.test.ts',
  'packages/engine/test/http/run-stream.test.ts',
  'packages/openai-compatible/test/stalls.test.ts',
]

interface Manifest {
  readonly name: string
  readonly exports?: string | Readonly<Record<string, string>>
}

/** A copy of the project tests its own packages, even if its `node_modules` is a link to the original's. */
export const ownPackages = {
  alias: globSync('packages/*/package.json').flatMap(path => {
    const { name, exports = {} } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    const doors = typeof exports === 'string' ? { '.': exports } : exports
    return Object.entries(doors).map(([door, file]) => ({
      find: new RegExp(`^${name}${door.slice(1).replace('*', '(.*)')}$`),
      replacement: resolve(dirname(path), file.replace('*', '$1')),
    }))
  }),
}

/** Of each project. */
const common = {
  pool: 'threads',
  // Tests wait half of their time, for processes, browsers and time limits; others can use the processor.
  maxWorkers: availableParallelism() + 3,
  testTimeout: 60_000,
  // For what a file's tests share, such as a process and its code.
  hookTimeout: 120_000,
  // What a test waits for may take a busy machine longer than the second that is usual.
  expect: { poll: { timeout: 30_000 } },
} as const

/** A project of a suite. */
export const project = (name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig => ({
  resolve: ownPackages,
  test: { ...common, name, ...test },
})

/** `npm test`: one case of a kind, in seconds. */
export default defineConfig({
  test: {
    // Of the whole, not of each project.
    globalSetup: 'test/global-setup.ts',
    silent: 'passed-only',
    projects: [
      // Files share a worker and what it has loaded: LangChain is loaded once for each worker, not for each file.
      project('shared', { include: all, exclude: alone, isolate: false }),
      project('alone', { include: alone }),
      project('responses', { include: BOTH_APIS, isolate: false, env: { TESTED_API: 'responses' } }),
    ],
  },
})
