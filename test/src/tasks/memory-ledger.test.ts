import { MemoryLedger } from '../../../src/tasks/memory-ledger.ts'
import { describeLedger } from '../../support/ledger-contract.ts'
import { testService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

describeLedger('one process', {
  async open(env, model) {
    const service = await testService(env, { models: [model.named()] })
    return { first: service, second: service, joined: () => until(() => service.tasks.callers === 2) }
  },
  ledger: async replayTtlMs => new MemoryLedger(replayTtlMs),
})
