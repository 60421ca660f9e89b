import type { RunRequest } from '../../../src/contract.ts'
import { AgentClient } from '../../agents/agent-client.ts'
import type { RunPage, RunSummary } from '../../platform/api.ts'
import { NotRun } from '../check.ts'
import { curl } from '../curl.ts'
import type { PlatformAccess } from '../options.ts'
import type { Run, Session } from './session.ts'

/** For the platform's own limit to come first. */
const MARGIN_MS = 5_000
const LATEST_RUNS = 200

/**
 * Runs a task through the staging route.
 *
 * @throws NotRun without a platform
 */
export async function platformRun(session: Session, request: RunRequest): Promise<Run> {
  const { agentId } = accessOf(session)
  const body = JSON.stringify(request)
  const run = await session.run(request, signal =>
    clientOf(session).request('POST', `/staging/agents/${agentId}/run`, {
      timeoutMs: session.limits.runTimeoutMs + MARGIN_MS,
      headers: { ...authorization(session), 'content-type': 'application/json' },
      body,
      signal,
    }),
  )
  session.platformRuns.push(run)
  return run
}

/**
 * What the platform's database holds of the tasks with these ids, among its latest runs.
 *
 * @throws NotRun without a platform, or when its history cannot be read
 */
export async function recordsOf(session: Session, taskIds: ReadonlySet<string>): Promise<RunSummary[]> {
  const path = `/api/runs?agent=${encodeURIComponent(accessOf(session).agentId)}&limit=${LATEST_RUNS}`
  const call = { timeoutMs: MARGIN_MS, headers: authorization(session), signal: session.calls.signal }
  const { json, status } = await clientOf(session).request('GET', path, call)
  if (status !== 200) throw new NotRun(`the platform's history could not be read: HTTP ${status}`)
  return (json as RunPage).runs.filter(({ taskId }) => taskIds.has(taskId))
}

/** The command that runs the first task through the staging route. */
export function curlPlatform(session: Session): string {
  const { agentId = '<agent_id>' } = session.options.platform ?? {}
  const body = { task_id: 'test-1', input: session.tasks[0]!.input }
  return curl({ ...addressOf(session), path: `/staging/agents/${agentId}/run`, body })
}

/** The command that shows what the platform recorded of the latest run. */
export function curlRecords(session: Session): string {
  return curl({ ...addressOf(session), path: '/api/runs?limit=1' })
}

/** The one that the checks start for themselves is gone when somebody tries a command. */
function addressOf(session: Session): { url: string; tokenVariable: string } {
  const { url = '<platform>' } = session.options.platform ?? {}
  return { url, tokenVariable: 'STAGING_TOKEN' }
}

function accessOf(session: Session): PlatformAccess {
  const { platform } = session.options
  if (platform === undefined)
    throw new NotRun('no platform was given that knows the agent: npm run staging:check starts one')
  return platform
}

function clientOf(session: Session): AgentClient {
  return new AgentClient({ url: accessOf(session).url })
}

function authorization(session: Session): Record<string, string> {
  return { authorization: `Bearer ${accessOf(session).token}` }
}
