import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { ownModules } from '@agent-task-service/cli/vitest'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'

/** Where tests are: beside each package, in each template of an agent, and for the whole in `test/`. */
export const TESTS = ['packages/*/test', 'packages/create/templates/*/test', 'test']

/** The tests that end so, such as `alone.world`. */
export const ending = (end: string): string[] => TESTS.map(folder => `${folder}/**/*.${end}.ts`)

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

/** Tests share a simulated Redis, as they share a worker. */
export const simulatedRedis = {
  alias: [
    ...ownPackages.alias,
    { find: /^ioredis$/, replacement: resolve('packages/share/test/simulation/ioredis.ts') },
  ],
}

/** Of each project. */
const common = {
  pool: 'threads',
  // Tests wait half of their time, for processes, browsers and time limits; others can use the processor.
  maxWorkers: availableParallelism() + 3,
  // With every case, some tests take minutes.
  testTimeout: process.env.AT_LENGTH === 'yes' ? 600_000 : 60_000,
  // For what a file's tests share, such as a process and its code.
  hookTimeout: 120_000,
  // What a test waits for may take a busy machine longer than the second that is usual.
  expect: { poll: { timeout: 30_000 } },
} as const

/** A project of a suite. */
export const project = (name: string, test: UserWorkspaceConfig['test']): UserWorkspaceConfig => ({
  plugins: [ownModules()],
  resolve: ownPackages,
  test: { ...common, name, ...test },
})

/** Of a suite, the tests that end in `.alone`: each has a worker of its own, and nothing else runs meanwhile. */
export const alone = (suite: string, test: UserWorkspaceConfig['test'] = {}): UserWorkspaceConfig =>
  project('alone', {
    include: ending(`alone.${suite}`),
    fileParallelism: false,
    sequence: { groupOrder: 1 },
    ...test,
  })

/** `npm test`: one case of a kind, in seconds. */
export default defineConfig({
  test: {
    // Of the whole, not of each project.
    globalSetup: 'test/global-setup.ts',
    silent: 'passed-only',
    projects: [
      {
        // Files share a worker and what it has loaded: LangChain is loaded once for each worker, not for each file.
        ...project('shared', {
          include: ending('test'),
          exclude: ending('alone.test'),
          isolate: false,
          // Each loads LangChain, and hardly a test waits.
          maxWorkers: availableParallelism(),
        }),
        resolve: simulatedRedis,
      },
      alone('test'),
    ],
  },
})
