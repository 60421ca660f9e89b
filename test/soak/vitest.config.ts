import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const tests = globSync('test/**/*.test.ts')
const atLength = tests.filter(file => readFileSync(file, 'utf8').includes("/at-length.ts'"))

/** What takes minutes: run by `npm run soak`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts', 'test/properties/*.test.ts', ...atLength],
    // As many cases as in `npm test`, thirty times over; and all of those that `npm test` tries a few of.
    env: { PROPERTY_TIMES: '30', AT_LENGTH: 'yes' },
    globalSetup: 'test/support/global-setup.ts',
    silent: 'passed-only',
    testTimeout: 900_000,
    fileParallelism: false,
  },
})
