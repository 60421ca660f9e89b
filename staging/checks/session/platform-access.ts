import type { RunRequest } from '../../../src/wire/contract.ts'
import { AgentClient } from '../../agents/agent-client.ts'
import type { RunPage, RunSummary } from '../../api.ts'
import { curl } from '../../curl.ts'
import { NotRun } from '../verdicts.ts'
import type { CheckedRun } from './replies.ts'
import type { Session } from './session.ts'

/** Longer than the platform's own limit. */
const MARGIN_MS = 5_000
const LATEST_RUNS = 200

/**
 * Runs a task through the staging route.
 *
 * @throws NotRun without a platform
 */
export async function platformRun(session: Session, request: RunRequest): Promise<CheckedRun> {
  const { agentId, call } = accessOf(session)
  const timeoutMs = session.limits.runTimeoutMs + MARGIN_MS
  const by = () => call('POST', `/staging/agents/${agentId}/run`, timeoutMs, JSON.stringify(request))
  const run = await session.run(request, { by })
  session.platformRuns.push(run)
  return run
}

/**
 * The platform's records of these task ids, among its latest runs.
 *
 * @throws NotRun without a platform, or when its history cannot be read
 */
export async function recordsOf(session: Session, taskIds: ReadonlySet<string>): Promise<RunSummary[]> {
  const { agentId, call } = accessOf(session)
  const path = `/api/runs?agent=${encodeURIComponent(agentId)}&limit=${LATEST_RUNS}`
  const { json, status } = await call('GET', path, MARGIN_MS)
  if (status !== 200) throw new NotRun(`the platform's history could not be read: HTTP ${status}`)
  return (json as RunPage).runs.filter(({ taskId }) => taskIds.has(taskId))
}

/** The command that runs the first task through the staging route. */
export function curlPlatform({ options: { platform }, tasks }: Session): string {
  const { url = '<platform>', agentId = '<agent_id>' } = platform ?? {}
  const body = { task_id: 'test-1', input: tasks[0]!.input }
  return curl({ url, path: `/staging/agents/${agentId}/run`, body, tokenVariable: 'STAGING_TOKEN' })
}

function accessOf({ options: { platform }, calls: { signal } }: Session) {
  if (platform === undefined)
    throw new NotRun('no platform that knows the agent was given: npm run staging:check starts one')
  const client = new AgentClient({ url: platform.url })
  const headers = {
    authorization: `Bearer ${platform.token}`,
    'content-type': 'application/json',
    'staging-by': 'checks',
  }
  const call = (method: string, path: string, timeoutMs: number, body?: string) =>
    client.request(method, path, { timeoutMs, headers, signal, body })
  return { agentId: platform.agentId, call }
}
