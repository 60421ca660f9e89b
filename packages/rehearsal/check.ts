/** The program that `npm run build:rehearsal` makes a file of. In a project, it is `npm run staging:check`. */
import { runCheckCommand } from './command/process.ts'

const code = await runCheckCommand(process.argv.slice(2), process.env)
// Standard input, where the log comes from, may stay open.
process.stdout.write('', () => process.exit(code))
