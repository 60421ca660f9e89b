import { defineConfig } from 'vitest/config'
import { alone, ending, project } from '../vitest.config.ts'

const testTimeout = 900_000

/** `npm run test:faults`: what must hold whatever happens, tried with cases from seeds. */
export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    silent: 'passed-only',
    projects: [
      project('seeds', { testTimeout, include: ending('faults'), exclude: ending('alone.faults') }),
      // They measure, or keep both processors busy.
      alone('faults', { testTimeout }),
    ],
  },
})
