import { runPlatform } from '@agent-task-service/rehearsal/staging'
import type { Command } from '../command.ts'

export const run: Command = async (args, env) => {
  await runPlatform(args, env)
  return undefined
}
