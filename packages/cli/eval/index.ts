/** The command `eval`, and what is written for it. */
export { evalCommand, type Output } from './command.ts'
export type { Report } from './report.ts'
export type { Scored, Scorer } from './scorer.ts'
