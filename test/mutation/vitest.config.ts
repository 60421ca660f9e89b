import { defineConfig } from 'vitest/config'
import { ownPackages } from '../../vitest.config.ts'

/** The tests that each mutant faces: quick ones that cover the mutated files. */
export default defineConfig({
  // Otherwise no test would meet a mutant of a package.
  resolve: ownPackages,
  test: {
    include: [
      'packages/engine/test/run/{budget,run-controller}.test.ts',
      'packages/engine/test/effects/taken-over.test.ts',
      'packages/engine/test/{masked-by-guess,own-graph}.test.ts',
      'packages/engine/test/http/{auth,contract,errors,run-stream}.test.ts',
      'packages/engine/test/tasks/{admission,event-feed,mask-events,memory-ledger,run-task,shared-tasks}.test.ts',
      'packages/engine/test/tasks/tasks.faults.ts',
      'packages/wire/test/*.{test,faults}.ts',
      'packages/rehearsal/test/redact.test.ts',
    ],
    pool: 'threads',
    // A tenth of the cases: a mutant's damage shows in the first few.
    env: { PROPERTY_TIMES: '0.3' },
    testTimeout: 20_000,
  },
})
