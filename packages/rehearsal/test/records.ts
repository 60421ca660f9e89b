import type { RunPage, RunRecord } from '@agent-task-service/rehearsal/api'
import type { Store } from '@agent-task-service/rehearsal/platform'
import { success } from '@agent-task-service/test-support/scripted-agent'
import { task, type testPlatform } from './platform.ts'

type FinishedRun = Parameters<Store['runs']['add']>[0]

/** A run as the store takes it: a success of `agent-7`, unless given otherwise. */
export function finished({ output, ...given }: Partial<FinishedRun> & { output?: string } = {}): FinishedRun {
  return {
    ...{ agentId: 'agent-7', at: new Date(), status: 'success', httpStatus: 200, wallMs: 100, broken: [] },
    request: JSON.stringify(task()),
    reply: JSON.stringify(success('test-1', output)),
    ...given,
  }
}

/** The latest record of a platform. */
export async function latest({ get }: Pick<ReturnType<typeof testPlatform>, 'get'>): Promise<RunRecord> {
  const { runs } = await get<RunPage>('/api/runs?limit=1')
  return await get<RunRecord>(`/api/runs/${runs[0]!.id}`)
}
