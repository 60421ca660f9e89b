import { globSync, readFileSync } from 'node:fs'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { project, TESTS } from '../vitest.config.ts'

const all = TESTS.map(folder => `${folder}/**/*.world.ts`)
/** Of these tests, `npm test` tries one of a kind. */
const matrices = globSync(TESTS.map(folder => `${folder}/**/*.test.ts`)).filter(file =>
  readFileSync(file, 'utf8').includes("/at-length'"),
)
/** Node itself loads copies of the project, as `npm run dev` does. */
const copies = 'test/habits/*.world.ts'
/** They mostly wait for leases to end. */
const fleet = 'test/fleet/*.world.ts'
/** It measures, so it runs alone. */
const measures = 'test/fleet/load.world.ts'

/** Those of one order run beside each other. */
const inOrder = (name: string, groupOrder: number, test: UserWorkspaceConfig['test']) =>
  project(name, {
    testTimeout: 600_000,
    env: { AT_LENGTH: 'yes' },
    sequence: { groupOrder },
    ...test,
  })

/** `npm run test:world`: what needs real processes, a browser, servers of other projects, or each case of a matrix. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts', 'test/fleet/global-setup.ts'],
    silent: 'passed-only',
    projects: [
      inOrder('world', 0, { include: [...all, ...matrices], exclude: [copies, fleet] }),
      inOrder('copies', 0, { include: [copies], pool: 'forks' }),
      inOrder('fleet', 1, { include: [fleet], exclude: [measures] }),
      inOrder('measures', 2, { include: [measures] }),
    ],
  },
})
