import { AgentClient } from '../agents/agent-client.ts'
import { isObject } from '../json.ts'
import type { Report } from '../report.ts'

/** A platform on this machine answers in milliseconds. */
const TIMEOUT_MS = 2_000

/**
 * Adds a report to those of a platform. Whatever goes wrong there does not concern the agent, nor who checks it.
 *
 * @returns its page on the dashboard; undefined if the platform did not take it
 */
export async function shareReport(platformUrl: string, report: Report): Promise<string | undefined> {
  const { status, json } = await new AgentClient({ url: platformUrl }).request('POST', '/api/checks', {
    timeoutMs: TIMEOUT_MS,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
  })
  if (status !== 201 || !isObject(json)) return undefined
  return `${platformUrl}/#/checks/${json.id}`
}
