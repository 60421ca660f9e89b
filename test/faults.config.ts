import { defineConfig } from 'vitest/config'
import { common, ownPackages, TESTS } from '../vitest.config.ts'

const all = TESTS.map(folder => `${folder}/**/*.faults.ts`)
/** They measure, or keep both processors busy, so they run alone. */
const measures = ['test/load/*.faults.ts', 'packages/engine/test/simulation/planted-races.faults.ts']
const options = { ...common, testTimeout: 900_000 } as const

/** `npm run test:faults`: what must hold whatever happens, tried with cases from seeds. */
export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    silent: common.silent,
    projects: [
      {
        resolve: ownPackages,
        test: { ...options, name: 'seeds', include: all, exclude: measures, sequence: { groupOrder: 0 } },
      },
      {
        resolve: ownPackages,
        test: {
          ...options,
          name: 'measures',
          include: measures,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
