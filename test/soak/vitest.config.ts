import { defineConfig } from 'vitest/config'

/** What takes minutes: run by `npm run soak`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/soak/*.soak.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 900_000,
    fileParallelism: false,
  },
})
