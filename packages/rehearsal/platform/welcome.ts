import type { AgentTarget } from '../agents/start-agent.ts'
import { shellQuoted } from '../curl.ts'
import type { PlatformOptions } from './options.ts'

/**
 * The start-up message: where everything is, and how to run a task. A generated token is shown, the user's own is not.
 *
 * @param task an example
 * @param agentLog path of this project's agent's log, if it was started
 */
export function welcome(
  url: string,
  { token, tokenIsMade, databaseFile }: PlatformOptions,
  agents: readonly AgentTarget[],
  task: string,
  agentLog: string | undefined,
): string {
  const first = agents[0]!.id
  const rows = agents.map(agent => `${agent.id}  ${agent.url}${agent.token ? ', with its own token' : ''}`)
  const inShell = tokenIsMade ? token : '$STAGING_TOKEN'
  return `
The rehearsal is up at ${url}

  dashboard  ${url}/
  agents     ${rows.join('\n             ')}
  records    ${databaseFile}
${agentLog === undefined ? '' : `  agent log  ${agentLog}\n`}
A task from the command line:

  curl ${url}/staging/agents/${first}/run \\
    -H 'Content-Type: application/json' -H "Authorization: Bearer ${inShell}" \\
    -d ${shellQuoted(JSON.stringify({ task_id: 'test-1', input: task }))}

Ctrl-C stops it.
`
}
