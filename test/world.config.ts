import { globSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
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
/** They measure, so they run alone. */
const measures = ['test/fleet/{load,bad-days}.world.ts', 'packages/starter/test/search/*.world.ts']

const project = {
  resolve: ownPackages,
}
const options = { ...common, testTimeout: 600_000, env: { AT_LENGTH: 'yes' } } as const

/** `npm run test:world`: what needs real processes, a browser, servers of other projects, or each case of a matrix. */
export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts', 'test/fleet/global-setup.ts'],
    silent: common.silent,
    projects: [
      {
        ...project,
        test: {
          ...options,
          name: 'world',
          include: [...all, ...matrices],
          exclude: [copies, fleet, ...measures],
          sequence: { groupOrder: 0 },
        },
      },
      {
        ...project,
        test: { ...options, name: 'copies', include: [copies], pool: 'forks', sequence: { groupOrder: 0 } },
      },
      {
        ...project,
        test: {
          ...options,
          name: 'fleet',
          include: [fleet],
          exclude: measures,
          sequence: { groupOrder: 1 },
        },
      },
      {
        ...project,
        test: {
          ...options,
          name: 'measures',
          include: measures,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
