import { defineConfig } from 'vitest/config'

/** Not part of `npm test`: needs the image that `.ci/container` builds, root, and a separate network namespace. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The image that ships, or one of a changed project, as `.ci/container` sets.
    include: [process.env.TRY ?? '*.try.ts'],
    globalSetup: '../global-setup.ts',
    // All of them listen on port 8080.
    fileParallelism: false,
    testTimeout: 120_000,
  },
})
