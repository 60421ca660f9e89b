import { globSync, readFileSync } from 'node:fs'
import { defineConfig, type UserWorkspaceConfig as UserProject } from 'vitest/config'
import { common, ownPackages, TESTS } from '../vitest.config.ts'

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

const options = { ...common, testTimeout: 600_000, env: { AT_LENGTH: 'yes' } } as const

/** Projects of one order run beside each other. */
const project = (name: string, groupOrder: number, test: UserProject['test']): UserProject => ({
  resolve: ownPackages,
  test: { ...options, name, sequence: { groupOrder }, ...test },
})

/** `npm run test:world`: what needs real processes, a browser, servers of other projects, or each case of a matrix. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts', 'test/fleet/global-setup.ts'],
    silent: common.silent,
    projects: [
      project('world', 0, { include: [...all, ...matrices], exclude: [copies, fleet] }),
      project('copies', 0, { include: [copies], pool: 'forks' }),
      project('fleet', 1, { include: [fleet], exclude: [measures] }),
      project('measures', 2, { include: [measures] }),
    ],
  },
})
