import { defineConfig } from 'vitest/config'

const LOAD = ['test/fleet/{load,bad-days}.fleet.ts']

/**
 * Several replicas that share a real Redis: run by `npm run fleet`, and on every change by `.ci/run`. Files that mostly
 * wait for leases to end run in parallel; those that measure follow, one at a time.
 */
export default defineConfig({
  test: {
    globalSetup: 'test/fleet/global-setup.ts',
    projects: [
      {
        test: {
          name: 'waits',
          include: ['test/fleet/*.fleet.ts'],
          exclude: LOAD,
          testTimeout: 120_000,
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'load',
          include: LOAD,
          testTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
