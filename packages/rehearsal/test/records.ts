import { success } from '@agent-task-service/test-support/scripted-agent'
import type { RunPage, RunRecord } from '../api.ts'
import type { RunBegin, RunEnd } from '../store/run-log.ts'
import { task, type testPlatform } from './platform.ts'

type FinishedRun = RunBegin & RunEnd

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
