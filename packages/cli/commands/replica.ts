import '@agent-task-service/engine/signals'
import { runProcess } from '@agent-task-service/engine/process'
import { CommandLine } from '@agent-task-service/rehearsal/command-line'
import { type Command, usageOf } from '../command.ts'
import { ownAgent } from '../own-agent.ts'

export const usage = usageOf(
  'agent replica PORT\n\nServes the agent on a port, as npm run staging -- --replicas N does for each.',
)

export const run: Command = async (args, env) => {
  const line = new CommandLine(args, {})
  const port = Number(line.words[0])
  const got = JSON.stringify(line.words)
  line.expect(line.words.length === 1 && Number.isInteger(port), `expected a port alone, got ${got}`)
  line.end()
  await runProcess(await ownAgent(), { ...env }, { port })
  return undefined
}
