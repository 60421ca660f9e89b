import { defineConfig } from 'vitest/config'

/** web_search over a generated web behind Debian's searx: run by `npm run search`, and on every change by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/search/*.search.ts'],
    testTimeout: 600_000,
    fileParallelism: false,
  },
})
