import type { AgentTarget } from '../agents/start-agent.ts'
import type { Options } from './options.ts'

/**
 * What the platform says when it is up: where everything is, and how to run a task. A token that was made here is
 * shown; one that was given is the user's own to fill in.
 *
 * @param agentLog where the log of this project's own agent is, if that was started
 */
export function welcome(
  url: string,
  { token, tokenIsMade, databaseFile }: Options,
  agents: readonly AgentTarget[],
  agentLog: string | undefined,
): string {
  const first = agents[0]!.id
  const rows = agents.map(
    agent => `${agent.id}  ${agent.url}${agent.token ? ', with a token of its own' : ''}`,
  )
  const [shown, inShell] = tokenIsMade ? [token, token] : ['<STAGING_TOKEN>', '$STAGING_TOKEN']
  return `
The rehearsal is up at ${url}

  dashboard  ${url}/#token=${shown}
  agents     ${rows.join('\n             ')}
  records    ${databaseFile}
${agentLog === undefined ? '' : `  agent log  ${agentLog}\n`}
A task from the command line:

  curl ${url}/staging/agents/${first}/run \\
    -H 'Content-Type: application/json' -H "Authorization: Bearer ${inShell}" \\
    -d '{"task_id": "test-1", "input": "What is 15% of 80?"}'

Ctrl-C ends it.
`
}
