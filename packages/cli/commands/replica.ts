import '@agent-task-service/engine/signals'
import { runProcess } from '@agent-task-service/engine/process'
import { UsageError } from '@agent-task-service/rehearsal/command-line'
import type { Command } from '../command.ts'
import { ownAgent } from '../own-agent.ts'

export const run: Command = async (args, env) => {
  const port = Number(args[0])
  if (args.length !== 1 || !Number.isInteger(port)) throw new UsageError(['expected a port alone'])
  await runProcess(await ownAgent(), { ...env }, { port })
  return undefined
}
