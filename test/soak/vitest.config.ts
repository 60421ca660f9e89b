import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const tests = globSync('test/**/*.test.ts')
const atLength = tests.filter(file => readFileSync(file, 'utf8').includes("/at-length.ts'"))

/** Suites that take minutes: run by `npm run soak`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts', 'test/properties/*.test.ts', ...atLength],
    // Ninety times as many cases as in `npm test`, and all of those it samples.
    env: { PROPERTY_TIMES: '90', AT_LENGTH: 'yes' },
    globalSetup: 'test/support/global-setup.ts',
    silent: 'passed-only',
    testTimeout: 900_000,
    fileParallelism: false,
  },
})
