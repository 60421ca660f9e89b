import { parseArgs } from 'node:util'

/** One row of a command's options: what it is called in the help text, and what it does. */
export interface OptionRow {
  /** `--log FILE`, `--json [FILE]` where the value may be left out, `--help` where there is none. */
  readonly option: string
  readonly meaning: string
  /** May be given more than once. */
  readonly many?: true
}

/** A command's options, and the words beside them. */
export interface CommandLine {
  /** By name without dashes; `-` for a value that was left out. */
  readonly values: Readonly<Partial<Record<string, readonly string[]>>>
  readonly words: readonly string[]
}

/** What is wrong so far, a line each. */
type Problems = string[]

export type Environment = Readonly<Record<string, string | undefined>>

/** Everything that is wrong with a command's options, a line each. No value of a secret is in it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

const HELP: OptionRow = { option: '--help', meaning: 'this text' }

/** The rows as a help text shows them, `--help` last. */
export function optionsText(rows: readonly OptionRow[]): string {
  const all = [...rows, HELP]
  const width = Math.max(...all.map(({ option }) => option.length))
  return all.map(({ option, meaning }) => `  ${option.padEnd(width)}  ${meaning}`).join('\n')
}

/**
 * Reads a command line by its table of options. `-h` is `--help`.
 *
 * @param problems gets what is wrong: unknown options, missing values, values that come twice
 */
export function readCommandLine(
  args: readonly string[],
  rows: readonly OptionRow[],
  problems: Problems,
): CommandLine {
  const known = new Map([...rows, HELP].map(row => [/^--([\w-]+)/.exec(row.option)![1]!, row]))
  const takesValue = (row: OptionRow) => /^--[\w-]+ [A-Z]/.test(row.option)
  const mayTakeValue = (row: OptionRow) => row.option.endsWith(']')
  const typeOf = (row: OptionRow) => ({ type: takesValue(row) ? ('string' as const) : ('boolean' as const) })
  const options = Object.fromEntries([...known].map(([name, row]) => [name, typeOf(row)]))
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values: Partial<Record<string, string[]>> = {}
  const words: string[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'positional') {
      const before = tokens[index - 1]
      const name = before?.kind === 'option' && !before.inlineValue ? before.name : ''
      const row = known.get(name)
      // The word after --json is its file, unless it is an address.
      if (row && mayTakeValue(row) && !isAddress(token.value)) values[name]!.splice(-1, 1, token.value)
      else words.push(token.value)
    }
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const row = known.get(name)
    if (row === undefined) {
      problems.push(`${rawName}: expected one of ${[...known.keys()].map(each => `--${each}`).join(', ')}`)
    } else if (takesValue(row) && (!value || value.startsWith('--'))) {
      problems.push(`${rawName}: expected a value, got ${value || 'none'}`)
    } else if (name in values && !row.many) problems.push(`${rawName}: expected it once, got it again`)
    else values[name] = [...(values[name] ?? []), value ?? '-']
  }
  return { values, words }
}

function isAddress(word: string): boolean {
  return /^https?:/i.test(word)
}

/** An address's origin. One that has more, such as credentials, is a problem, and is not shown. */
export function readAddress(option: string, text: string, problems: Problems): string | undefined {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  problems.push(`${option}: expected an http(s) address without a path, credentials or a query, got another`)
  return undefined
}

/** @returns the least where the text is no such number, which is a problem then */
export function readWholeNumber(
  option: string,
  text: string,
  [least, most]: readonly [least: number, most: number],
  problems: Problems,
): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= least && value <= most) return value
  problems.push(`${option}: expected a whole number, ${least} to ${most}, got ${JSON.stringify(text)}`)
  return least
}

/** The token in a variable that the command line names. */
export function readToken(option: string, variable = '', env: Environment, problems: Problems) {
  if (variable === '') return undefined
  const token = env[variable]?.trim() || undefined
  if (token === undefined)
    problems.push(`${option}: expected a token in the variable ${variable}, got nothing`)
  return token
}
