import { defineConfig } from 'vitest/config'

/** Not part of `npm run test:world`: needs an image that `.ci/container` builds, root, and a separate network namespace. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.world.ts'],
    globalSetup: '../global-setup.ts',
    // All of them listen on port 8080.
    fileParallelism: false,
    testTimeout: 120_000,
  },
})
