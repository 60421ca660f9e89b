import { defineConfig } from 'vitest/config'

/**
 * Edits to the graph as a LangGraph developer makes them, over HTTP and in Studio: run by `npm run habits`,
 * and by `.ci/run`.
 */
export default defineConfig({
  test: {
    include: ['test/habits/*.habit.ts'],
    testTimeout: 30_000,
    // Node itself loads copies, as `npm run dev` does.
    pool: 'forks',
  },
})
