import { defineConfig } from 'vitest/config'

/** Several replicas that share a real Redis: run by `npm run fleet`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/fleet/*.fleet.ts'],
    globalSetup: 'test/fleet/global-setup.ts',
    testTimeout: 120_000,
    fileParallelism: false,
  },
})
