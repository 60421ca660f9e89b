import {
  CommandLine,
  type Environment,
  type Options,
  optionsText,
} from '@agent-task-service/rehearsal/command-line'

/**
 * One of the commands of `agent`, but for its help text.
 *
 * @param args the arguments after its name
 * @returns the exit code; `undefined`: it goes on, and ends the process itself
 * @throws {UsageError | SetupError | StartError} whose message is all that the user needs
 */
export type Command = (args: readonly string[], env: Environment) => Promise<number | undefined>

/** The help text of a command. */
export function usageOf(text: string, options: Options = {}): string {
  return `${text}\n\n${optionsText(options)}\n`
}

/** @throws {UsageError} */
export function expectNoArguments(args: readonly string[]): void {
  const line = new CommandLine(args, {})
  line.expect(line.words.length === 0, `expected no arguments, got ${JSON.stringify(line.words[0])}`)
  line.end()
}
