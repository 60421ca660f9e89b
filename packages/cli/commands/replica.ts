import '@agent-task-service/engine/signals'
import { runProcess } from '@agent-task-service/engine/process'
import { CommandLine, optionsText } from '@agent-task-service/rehearsal/command-line'
import type { Command } from '../command.ts'
import { ownAgent } from '../own-agent.ts'

const USAGE = `agent replica PORT

Serves the agent on a port, as npm run staging -- --replicas N does for each.

${optionsText({})}
`

export const run: Command = async (args, env) => {
  const line = new CommandLine(args, {})
  if (line.has('help')) {
    process.stdout.write(USAGE)
    return 0
  }
  const port = Number(line.words[0])
  const got = JSON.stringify(line.words)
  line.expect(line.words.length === 1 && Number.isInteger(port), `expected a port alone, got ${got}`)
  line.end()
  await runProcess(await ownAgent(), { ...env }, { port })
  return undefined
}
