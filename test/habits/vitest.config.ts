import { defineConfig } from 'vitest/config'

/** Edits of the graph as a LangGraph developer makes them, over HTTP and in Studio: run by `npm run habits`, and by `.ci/run`. */
export default defineConfig({
  test: {
    include: ['test/habits/*.habit.ts'],
    testTimeout: 30_000,
    // Copies are loaded by Node itself, as `npm run dev` does.
    pool: 'forks',
  },
})
