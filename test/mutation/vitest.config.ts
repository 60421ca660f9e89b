import { defineConfig } from 'vitest/config'
import { ownPackages } from '../../vitest.config.ts'

/** The tests that each mutant faces: quick ones that cover the mutated files. */
export default defineConfig({
  // Otherwise no test would meet a mutant of a package.
  resolve: ownPackages,
  test: {
    include: [
      'test/engine/run/{budget,run-controller}.test.ts',
      'test/properties/{mask,tasks}.test.ts',
      'test/engine/{mask,guess,masked-by-guess,http/{auth,contract,errors,run-stream},tasks/{admission,event-feed,mask-events,memory-ledger,run-task,shared-tasks},own-graph}.test.ts',
      'test/rehearsal/redact.test.ts',
    ],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'threads',
    // A tenth of the cases: a mutant's damage shows in the first few.
    env: { PROPERTY_TIMES: '0.3' },
    testTimeout: 20_000,
  },
})
