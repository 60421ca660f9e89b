import { runCommand } from './command.ts'

const exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: text => process.stdout.write(text),
  err: text => process.stderr.write(text),
  progress: process.stderr,
})
// An agent's connections to MCP servers would keep the process alive.
process.exit(exitCode)
