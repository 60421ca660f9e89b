import { CommandLine, optionsText, StartError } from '@agent-task-service/rehearsal/command-line'
import type { Command } from '../command.ts'
import { upgrade } from '../upgrade/upgrade.ts'

export const usage = `agent upgrade FOLDER

Takes a later version of the packages that serve this agent: copies them into packages/, sets all of them, and what they
share with it, in package.json, installs them, and says what has changed.

  FOLDER  with the packed packages: dist/packages in their checkout after npm run build:packages
${optionsText({})}
`

export const run: Command = async args => {
  const line = new CommandLine(args, {})
  line.expect(line.words.length === 1, `expected one folder, got ${line.words.length}`)
  line.end()
  process.stdout.write(`${told(() => upgrade(line.words[0]!))}\n`)
  return 0
}

/** @throws {StartError} for what the file system refuses */
function told<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (!/^E[A-Z0-9]+$/.test(code)) throw error
    throw new StartError(`expected to read and write the files of an agent and of packages, got ${message}`)
  }
}
