import { defineConfig } from 'vitest/config'

/** What takes minutes: run by `npm run soak`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts', 'test/properties/*.test.ts'],
    // As many cases as in `npm test`, thirty times over.
    env: { PROPERTY_TIMES: '30' },
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 900_000,
    fileParallelism: false,
  },
})
