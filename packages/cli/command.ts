import { CommandLine, type Environment, optionsText } from '@agent-task-service/rehearsal/command-line'

/**
 * One of the commands of `agent`.
 *
 * @param args the arguments after its name
 * @returns the exit code; `undefined`: it goes on, and ends the process itself
 * @throws {UsageError | SetupError | StartError} whose message is all that the user needs
 */
export type Command = (args: readonly string[], env: Environment) => Promise<number | undefined>

/**
 * Reads the arguments of a command without options.
 *
 * @returns whether only its help text was wanted, which is written then
 * @throws {UsageError}
 */
export function isHelpWanted(args: readonly string[], usage: string): boolean {
  const line = new CommandLine(args, {})
  line.expect(line.words.length === 0, `expected no arguments, got ${JSON.stringify(line.words[0])}`)
  line.end()
  const isWanted = line.has('help')
  if (isWanted) process.stdout.write(`${usage}\n\n${optionsText({})}\n`)
  return isWanted
}
