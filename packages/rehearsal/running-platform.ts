import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AgentClient } from './agents/agent-client.ts'
import { isObject } from './json.ts'
import type { Report } from './report.ts'

/** Where a platform keeps its records, unless it is told otherwise. */
export const DATABASE_FILE = '.staging/platform.db'
/** A platform on this machine answers in milliseconds. */
const TIMEOUT_MS = 2_000

/** Next to a database, the port of the platform that has it open. */
function portFile(databaseFile: string): string {
  return join(dirname(databaseFile), 'platform-port')
}

/** Says where this platform listens, for programs on this machine, until its process exits. */
export function announce(databaseFile: string, url: string): void {
  const file = portFile(databaseFile)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, new URL(url).port, { mode: 0o600 })
  process.once('exit', () => rmSync(file, { force: true }))
}

/** The address of the platform that runs in this folder; undefined if none does. */
export function runningPlatform(): string | undefined {
  try {
    return `http://127.0.0.1:${Number(readFileSync(portFile(DATABASE_FILE), 'utf8'))}`
  } catch {
    return undefined
  }
}

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
