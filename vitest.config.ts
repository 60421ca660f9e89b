import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'threads',
    // Much of the time is spent waiting for deadlines.
    maxWorkers: Math.max(2, availableParallelism()),
    silent: 'passed-only',
    testTimeout: 60_000,
  },
})
