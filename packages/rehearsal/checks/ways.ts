import { shellQuoted } from '../curl.ts'
import { CHECKS, STAGING } from '../program.ts'
import type { CheckOptions } from './options.ts'

/** How whoever asks for the checks lets them see more, in words for a report. */
const ofCommand = {
  log: '--log FILE',
  image: '--image NAME',
  /** The variable that holds it. */
  token: '--token-env NAME',
  tasks: `${CHECKS} URL --tasks FILE`,
  /** To have the checks start and end the agent. */
  start: '--start COMMAND',
  stall: '--start COMMAND --stall NAME',
  /** The command that starts it and checks it. */
  restart: `${CHECKS} URL --start COMMAND`,
  /** @param minutes that would do */
  time: (minutes: number) =>
    `--minutes ${minutes} allows more, --concurrency N runs more at a time, --only GROUP fewer in all`,
}

type Ways = typeof ofCommand

/** What is said when `npm run staging` starts; the rest is for the command alone. */
function ofDashboard({ agentId = 'agent-7', url }: CheckOptions): Ways {
  const named = (more: string) => `${STAGING} -- ${shellQuoted(`${agentId}=${url} ${more}`)}`
  return {
    log: named('log=FILE'),
    image: named('image=NAME'),
    token: `STAGING_AGENT_TOKEN_${agentId.replace('agent-', '')} of ${STAGING}`,
    tasks: `${STAGING} -- --tasks FILE`,
    start: 'npm run staging:check can start and end it',
    stall: 'npm run staging:check can take its model away',
    // The only agent that the platform starts is this project's, as this command does.
    restart: 'npm run staging:check',
    time: () => 'npm run staging:check can be given more',
  }
}

export function waysOf(options: CheckOptions): Ways {
  return options.askedBy === 'dashboard' ? ofDashboard(options) : ofCommand
}
