import { defineConfig } from 'vitest/config'
import { project, TESTS } from '../vitest.config.ts'

const all = TESTS.map(folder => `${folder}/**/*.faults.ts`)
/** They measure, or keep both processors busy, so they run alone. */
const measures = ['test/load/*.faults.ts', 'packages/share/test/simulation/planted-races.faults.ts']
/** Left out of a sample: they take half a minute and more each. */
const long = [
  'test/load/{floods,leak,mcp-floods,slow-requests}.faults.ts',
  'packages/share/test/simulation/planted-races.faults.ts',
]
const leftOut = process.env.AT_LENGTH === 'yes' ? [] : long
const testTimeout = 900_000

/** `npm run test:faults`: what must hold whatever happens, tried with cases from seeds. */
export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    silent: 'passed-only',
    projects: [
      project('seeds', { testTimeout, include: all, exclude: measures, sequence: { groupOrder: 0 } }),
      project('measures', {
        testTimeout,
        include: measures,
        exclude: leftOut,
        fileParallelism: false,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
})
