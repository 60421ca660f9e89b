/** The acceptance checks as a command. */
export { type CommandWorld, checkCommand, USAGE } from './command.ts'
export { runCheckCommand } from './process.ts'
