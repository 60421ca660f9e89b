/** What an agent names in `src/agent.ts` for more than the engine does by itself, each from a package of its own. */

import type { z } from 'zod'

/** The variables of the environment, as they are set. */
export type RawVariables = Readonly<Record<string, string | undefined>>

/** A variable, and what is wrong with it: `expected …, got …`, without a value that may be secret. */
export type Problem = readonly [variable: string, message: string]

/** What is found where variables lead to, such as in a file. */
export interface Reading<Settings> {
  readonly settings: Settings
  /** Other variables that it refers to, with their values. Each counts as a secret. */
  readonly variables: Readonly<Record<string, string>>
  readonly problems: readonly Problem[]
}

/** One of them: the variables that it declares, and the settings that it makes of their values. */
export interface Extra<Own extends z.ZodObject = z.ZodObject, Settings = z.output<Own>> {
  /** With defaults, checks and descriptions. What is declared with `secret()` is masked in logs and replies. */
  readonly variables: Own
  /** Variables that one may expect it to read, with what holds instead. */
  readonly notRead?: Readonly<Record<string, string>>
  /** Whether a variable whose value is not valid counts as unset, with a warning; absent: the process does not start. */
  ignores?(name: string, given: Readonly<Record<string, string>>): boolean
  /** Paths of the files that it reads, which the process must be allowed to. */
  files?(environment: RawVariables): readonly string[]
  /**
   * Makes the settings. What it leaves out: the values of the variables, and nothing else.
   *
   * @param given the variables that are set and not blank, trimmed
   */
  read?(given: Readonly<Record<string, string>>, environment: RawVariables): Partial<Reading<Settings>>
}
