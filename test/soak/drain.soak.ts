import { test } from 'vitest'
import { drainModel, drainUnderLoad } from '../process/drain.ts'

test.for(Array.from({ length: 10 }, (_, n) => n + 1))(
  'SIGTERM with 200 runs in flight, round %i',
  async () => {
    const model = await drainModel()
    await drainUnderLoad(model, 200)
    await model.close()
  },
)
