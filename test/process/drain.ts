import { expect } from 'vitest'
import { runResponse } from '../../src/wire/contract.ts'
import { answer, type HostileModel, hostileModel } from '../faults/hostile-model.ts'
import { startProcess } from '../support/process.ts'

/** A model whose answers, in mode `gated`, wait at a gate. */
export interface DrainModel extends HostileModel {
  /** Closes the gate for coming answers. */
  shut(): void
  open(): void
}

export async function drainModel(): Promise<DrainModel> {
  let gate = Promise.withResolvers<void>()
  const model = await hostileModel({
    gated: async (_request, response) => {
      await gate.promise
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer('done'))
    },
  })
  return Object.assign(model, {
    shut: () => {
      gate = Promise.withResolvers()
    },
    open: () => gate.resolve(),
  })
}

/** Stops a process with this many runs in flight, and checks that none of them is lost. */
export async function drainUnderLoad(model: DrainModel, runs: number): Promise<void> {
  model.shut()
  const service = await startProcess(model.env('gated'))
  const inFlight = Array.from({ length: runs }, (_, n) =>
    service.post({ task_id: `test-${n}`, input: 'anything' }),
  )
  await model.until(runs)
  service.child.kill('SIGTERM')
  await service.line(({ msg }) => msg === 'draining')
  const health = await fetch(`${service.url}/health`)
  expect([health.status, await health.json()]).toMatchObject([503, { status: 'draining' }])
  const refused = await service.post({ task_id: 'test-1', input: 'too late' })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  model.open()
  for (const run of inFlight) {
    const response = await run
    expect(response.status).toBe(200)
    expect(runResponse.parse(await response.json())).toMatchObject({ status: 'success', output: 'done' })
  }
  expect(await service.exited).toBe(0)
  expect(service.errors()).toBe('')
}
