import { defineConfig } from 'vitest/config'

/** Not part of `npm run test:world`: needs the agents that `.ci/created` makes, and a separate network namespace. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.world.ts'],
    // All of them listen on port 8080.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
