import type { Command } from '../command.ts'
import { evalCommand } from '../eval/command.ts'
import { ownAgent } from '../own-agent.ts'

export const run: Command = async (args, env) =>
  await evalCommand(ownAgent, args, env, {
    out: text => process.stdout.write(text),
    err: text => process.stderr.write(text),
  })
