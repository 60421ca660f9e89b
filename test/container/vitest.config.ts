import { defineConfig } from 'vitest/config'

/** Not part of `npm test`: needs the image that `.ci/container` builds, root, and a network namespace of its own. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    // The image as it ships, or that of a changed project, as `.ci/container` says.
    include: [process.env.TRY ?? '*.try.ts'],
    globalSetup: '../support/global-setup.ts',
    // All of them listen on port 8080.
    fileParallelism: false,
    testTimeout: 120_000,
  },
})
