import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { simulatedRedis } from '../../vitest.config.ts'

/** The tests that each mutant faces: quick ones that cover the mutated files. */
export const faced = [
  'packages/wire/test/*.{test,faults}.ts',
  'packages/engine/test/tasks/{admission,event-feed,mask-events}.test.ts',
  'packages/engine/test/run/{deadline.alone,budget}.test.ts',
  'packages/engine/test/tasks/{tasks.faults,{shared-tasks,memory-ledger,run-task}.test}.ts',
  'packages/engine/test/http/{auth,contract,errors,run-stream.apis}.test.ts',
  'packages/engine/test/{ignored-settings,masked-by-guess,own-graph}.test.ts',
  'packages/share/test/effects/taken-over.test.ts',
  'packages/rehearsal/test/redact.test.ts',
]

const tests = faced.flatMap(pattern => globSync(pattern))

/** Those of a part alone come first: a mutant ends with the first test that fails, mostly before any service is loaded. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const at = ({ moduleId }: TestSpecification) => tests.findIndex(file => moduleId.endsWith(file))
    return files.toSorted((one, other) => at(one) - at(other))
  }
}

export default defineConfig({
  // Otherwise no test would meet a mutant of a package.
  resolve: simulatedRedis,
  test: {
    include: tests,
    sequence: { sequencer: InOrder },
    pool: 'threads',
    // A tenth of the cases: a mutant's damage shows in the first few.
    env: { PROPERTY_TIMES: '0.3' },
    // Ends what a mutant made hang before Stryker's own limit does, which a busy machine may reach, too.
    testTimeout: 10_000,
  },
})
