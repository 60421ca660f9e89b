import { randomUUID } from 'node:crypto'
import type { Metrics, RunRequest } from '@agent-task-service/wire/contract'
import { AgentClient } from '../../agents/agent-client.ts'
import type { RunPage } from '../../api.ts'
import { curl } from '../../curl.ts'
import { sumOf } from '../../figures.ts'
import { STAGING } from '../../program.ts'
import { type Check, check } from '../check.ts'
import { type CheckedRun, failuresOf, violationsOf } from '../session/replies.ts'
import { isOfPlatform, newTestId } from '../session/runs.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun, OutOfSight } from '../verdicts.ts'

/** Longer than the platform's own limit. */
const MARGIN_MS = 5_000
/** For reading the history, on a busy machine. */
const HISTORY_MS = 30_000

const MEASURES = {
  durationSec: 'duration_sec',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  steps: 'steps',
} as const

/** Not run if the route refuses replies that violate the contract anyway; other checks report those. */
export function stagingRoute(session: Session): Check {
  return check(
    'run.staging_route',
    'Tasks sent through the staging route succeed: test-<n> without config, a UUID with it',
    async () => {
      session.how = curlRoute(session)
      const isBroken = (run: CheckedRun) => Object.values(violationsOf(run)).flat().length > 0
      const isUsual = session.runs.some(isBroken)
      for (const run of await session.once(routed)) {
        const broken = isOfPlatform(run.exchange) ? run.reply.broken : undefined
        if (Array.isArray(broken) && isUsual)
          throw new NotRun(`the route refuses replies that violate the contract: ${broken.join('; ')}`)
        expectNone(failuresOf(run))
      }
    },
  )
}

/** Runs through the staging route. */
async function routed(session: Session): Promise<readonly CheckedRun[]> {
  const { input, config } = (await session.reference()).task
  const requests = [
    { task_id: newTestId(), input, config },
    { task_id: randomUUID(), input, config: { ...config, max_tokens: 4096 } },
  ]
  return await Promise.all(requests.map(request => session.patiently(() => runThrough(request, session))))
}

/** Compares the metrics that the platform recorded with those in the replies. */
export function platformTotals(session: Session): Check {
  return check(
    'metrics.platform_totals',
    "Totals in the platform's database equal the sums over the replies",
    async () => {
      session.how = curlRoute(session)
      // Other checks report those that failed.
      const replies = (await session.once(routed)).filter(run => failuresOf(run).length === 0)
      if (replies.length === 0) throw new NotRun('no run through the staging route succeeded')
      const records = (await Promise.all(replies.map(run => recordsOf(session, run)))).flat()
      if (records.length !== replies.length)
        throw new Failed(`expected ${replies.length} runs in the database, got ${records.length}`)
      for (const [column, name] of Object.entries(MEASURES) as [keyof typeof MEASURES, keyof Metrics][]) {
        const sum = sumOf(replies.map(({ reply }) => (reply.metrics as Metrics)[name]))
        const stored = sumOf(records.map(record => Number(record[column])))
        if (Math.abs(sum - stored) > 1e-6) throw new Failed(`expected ${sum} ${name} in all, got ${stored}`)
      }
    },
  )
}

/** What the platform's history has of a run that succeeded: one that was refused for now has a record of its own. */
async function recordsOf(session: Session, { request: { task_id } }: CheckedRun) {
  const path = `/api/runs?agent=${agentIdOf(session)}&text=${task_id}`
  const { json, status, failure } = await ask(session, 'GET', path, HISTORY_MS)
  if (status !== 200)
    throw new NotRun(`the platform's history could not be read: ${failure?.message ?? `HTTP ${status}`}`)
  return (json as RunPage).runs.filter(run => run.taskId === task_id && run.status === 'success')
}

async function runThrough(request: RunRequest, session: Session): Promise<CheckedRun> {
  const path = `/staging/agents/${agentIdOf(session)}/run`
  const timeoutMs = session.limits.runTimeoutMs + MARGIN_MS
  const by = () => ask(session, 'POST', path, timeoutMs, JSON.stringify(request))
  return await session.run(request, { by })
}

function ask(session: Session, method: string, path: string, timeoutMs: number, body?: string) {
  const { url, token } = platformOf(session)
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'staging-by': 'checks',
  }
  const call = { timeoutMs, headers, signal: session.calls.signal, body }
  return new AgentClient({ url }).request(method, path, call)
}

function agentIdOf(session: Session): string {
  return encodeURIComponent(platformOf(session).agentId)
}

/** @throws OutOfSight without a platform */
function platformOf({ options: { platform } }: Session) {
  if (platform) return platform
  throw new OutOfSight(`not rehearsed here: run the checks from the dashboard (${STAGING})`)
}

/** The command that runs the first task through the staging route. */
function curlRoute({ options: { platform }, tasks }: Session): string {
  const { url = '<platform>', agentId = '<agent_id>' } = platform ?? {}
  const body = { task_id: 'test-1', input: tasks[0]!.input }
  return curl({ url, path: `/staging/agents/${agentId}/run`, body, tokenVariable: 'STAGING_TOKEN' })
}
