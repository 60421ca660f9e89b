import { defineConfig } from 'vitest/config'

/** Not part of `npm test`: needs the agents that `.ci/created` makes, and a separate network namespace. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // Agents as they are started from their folders, or one in its image, as `.ci/created` sets.
    include: [process.env.TRY ?? '*.try.ts'],
    // All of them listen on port 8080.
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
