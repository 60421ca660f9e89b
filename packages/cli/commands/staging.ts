import { fileURLToPath } from 'node:url'
import { runPlatform } from '@agent-task-service/rehearsal/staging'
import type { Command } from '../command.ts'

const AGENT = fileURLToPath(new URL('../agent.js', import.meta.url))

export const run: Command = async (args, env) => {
  await runPlatform(args, env, [process.execPath, AGENT, 'replica'])
  return undefined
}
