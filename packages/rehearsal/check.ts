import { checkCommand } from './command/command.ts'
import { runningPlatform } from './running-platform.ts'

/** The first signal aborts this, for a graceful shutdown; the next one exits immediately. */
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
const world = { env: process.env, stdin, stdout, stderr, signal, platformUrl: runningPlatform() }
const code = await checkCommand(process.argv.slice(2), world)
// Standard input, where the log comes from, may stay open.
stdout.write('', () => process.exit(code))
