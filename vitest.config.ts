import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const all = 'test/**/*.test.ts'
/** What these mock would stay mocked, or is loaded already, in a worker that other files use too. */
const mocking = globSync(all).filter(file => readFileSync(file, 'utf8').includes('vi.mock('))

const common = {
  pool: 'threads',
  // A busy machine has the tests wait long enough: no more at a time than processors.
  maxWorkers: Math.max(2, availableParallelism()),
  testTimeout: 60_000,
} as const

export default defineConfig({
  test: {
    // Of the whole, not of each project.
    globalSetup: 'test/support/global-setup.ts',
    silent: 'passed-only',
    projects: [
      // Files share a worker and what it has loaded: LangChain is loaded once for each worker, not for each file.
      { test: { ...common, name: 'shared', include: [all], exclude: mocking, isolate: false } },
      { test: { ...common, name: 'mocking', include: mocking } },
    ],
  },
})
