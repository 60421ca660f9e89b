import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const tests = globSync('test/**/*.test.ts')
const atLength = tests.filter(file => readFileSync(file, 'utf8').includes("/at-length.ts'"))

const common = { silent: 'passed-only', testTimeout: 900_000 } as const

/** Suites that take minutes: run by `npm run soak`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    projects: [
      {
        test: {
          ...common,
          name: 'cases',
          include: ['test/properties/*.test.ts', ...atLength],
          // Thirty times as many cases as in `npm test`, and all of those it samples.
          env: { PROPERTY_TIMES: '30', AT_LENGTH: 'yes' },
          // They wait half of their time, for processes, browsers and time limits.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 0 },
        },
      },
      // These measure, so they run alone.
      {
        test: {
          ...common,
          name: 'load',
          include: ['test/soak/*.soak.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
