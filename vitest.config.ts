import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const all = 'test/**/*.test.ts'
/** What these mock would stay mocked, or is loaded already, in a worker that other files use too. */
const mocking = globSync(all).filter(file => readFileSync(file, 'utf8').includes('vi.mock('))

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    pool: 'threads',
    // Much of the time is spent waiting for deadlines.
    maxWorkers: Math.max(2, availableParallelism()),
    silent: 'passed-only',
    testTimeout: 60_000,
    projects: [
      // Files share a worker and what it has loaded: LangChain is loaded once for each worker, not for each file.
      { extends: true, test: { name: 'shared', include: [all], exclude: mocking, isolate: false } },
      { extends: true, test: { name: 'mocking', include: mocking } },
    ],
  },
})
