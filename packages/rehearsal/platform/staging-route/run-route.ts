import type { Context } from 'hono'
import { RUN_HEADER } from '../../api.ts'
import type { CheckedRun } from '../../checks/session/replies.ts'
import type { Acceptance } from '../acceptance.ts'
import type { Agent, Common } from '../common.ts'
import { outcomeOf } from './outcome.ts'
import type { RunsUnderway } from './runs.ts'
import { readTask } from './task.ts'

/**
 * `POST /staging/agents/:agent_id/run`, after authentication: passes the body to the agent unchanged, and its reply back.
 * The header `Staging-Answer` says whose answer it is, `Staging-Run` the number of its record.
 */
export function runRoute(runs: RunsUnderway, acceptance: Pick<Acceptance, 'idOf'>) {
  return async (c: Context, agent: Agent): Promise<Response> => {
    const accept = c.req.header('accept')
    const byChecks = c.req.header('staging-by') === 'checks'
    const run = runs.begin(agent, {
      body: new Uint8Array(await c.req.arrayBuffer()),
      headers: accept === undefined ? {} : { accept },
      byChecks,
      check: byChecks ? acceptance.idOf(agent.id) : null,
      caller: c.req.raw.signal,
    })
    const response = await run.answer()
    response.headers.set(RUN_HEADER, String(run.id))
    return response
  }
}

/** Records the runs that the acceptance checks make without the staging route; returns their numbers. */
export function checkedRuns({ store: { runs }, redact }: Common, acceptance: Pick<Acceptance, 'idOf'>) {
  return ({ id: agentId }: Agent, { request, exchange, when: { from } }: CheckedRun): number => {
    const text = JSON.stringify(request)
    const task = readTask(new TextEncoder().encode(text))
    const { status, httpStatus, broken } = outcomeOf(agentId, exchange, task, redact)
    const { status: agentStatus, headers, wallMs, body: reply } = exchange
    const run = { agentStatus, headers, httpStatus: agentStatus ?? httpStatus, wallMs, reply, broken }
    const check = acceptance.idOf(agentId)
    return runs.add({ agentId, at: from, status, request: text, ...run, byChecks: true, check })
  }
}
