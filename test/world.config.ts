import { defineConfig } from 'vitest/config'
import { alone, ending, project } from '../vitest.config.ts'

/** They need an image or agents that `.ci/container` and `.ci/created` make, and have a configuration of their own. */
const made = 'test/{container,created}/**'
/** Processes start, browsers draw, leases end. */
const testTimeout = 600_000

/** `npm run test:world`: what needs real processes, a browser or servers of other projects, and the rows of large matrices. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts', 'test/fleet/global-setup.ts'],
    silent: 'passed-only',
    projects: [
      // Node itself loads copies of the project, which only a process can do.
      project('world', {
        testTimeout,
        pool: 'forks',
        include: ending('world'),
        exclude: [...ending('alone.world'), made],
      }),
      project('responses', {
        testTimeout,
        include: ending('apis.test'),
        isolate: false,
        env: { TESTED_API: 'responses' },
      }),
      alone('world', { testTimeout }),
    ],
  },
})
