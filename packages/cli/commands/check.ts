import { runCheckCommand } from '@agent-task-service/rehearsal/command'
import type { Command } from '../command.ts'

export const run: Command = runCheckCommand
