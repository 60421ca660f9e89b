/** The acceptance checks as a command. */
import type { Environment } from '../command-line.ts'
import { runningPlatform } from '../running-platform.ts'
import { checkCommand } from './command.ts'

export { type CommandWorld, checkCommand, USAGE } from './command.ts'

/**
 * Runs the command `staging:check` in this process: on its standard streams, until a signal ends it.
 *
 * @param args the arguments after the program's name
 * @returns its exit code
 */
export async function runCheckCommand(args: readonly string[], env: Environment): Promise<number> {
  // The first signal aborts this, for a graceful shutdown; the next one exits immediately.
  const ending = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(1)
      ending.abort()
    })
  }
  const { stdin, stdout, stderr } = process
  // If the reader is gone, as with `| head`, stop the checks and the started agent; the exit code says enough.
  stdout.on('error', () => ending.abort())
  const { signal } = ending
  return await checkCommand(args, { env, stdin, stdout, stderr, signal, platformUrl: runningPlatform() })
}
