import { parseArgs } from 'node:util'

/** One of a command's options, as listed in its help text. */
export interface OptionRow {
  /** `--log FILE`; `--json [FILE]` if the value is optional; `--help` if there is none. */
  readonly option: string
  readonly meaning: string
  /** May be given more than once. */
  readonly many?: true
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Every problem with a command's options, one per line. Never contains a secret's value. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

const HELP: OptionRow = { option: '--help', meaning: 'this text' }

/** The options as shown in the help text, `--help` last. */
export function optionsText(rows: readonly OptionRow[]): string {
  const all = [...rows, HELP]
  const width = Math.max(...all.map(({ option }) => option.length))
  return all.map(({ option, meaning }) => `  ${option.padEnd(width)}  ${meaning}`).join('\n')
}

/** Parses a command line against a table of its options, and collects problems. `-h` is `--help`. */
export class CommandLine {
  /** The arguments that are not options. */
  readonly words: readonly string[]
  /** By name without dashes; `-` for an omitted value. */
  readonly #values: Partial<Record<string, string[]>> = {}
  readonly #problems: string[] = []

  constructor(args: readonly string[], rows: readonly OptionRow[]) {
    const known = new Map([...rows, HELP].map(row => [/^--([\w-]+)/.exec(row.option)![1]!, row]))
    const takesValue = (row: OptionRow) => /^--[\w-]+ [A-Z]/.test(row.option)
    const mayTakeValue = (row: OptionRow) => row.option.endsWith(']')
    const typeOf = (row: OptionRow) => ({
      type: takesValue(row) ? ('string' as const) : ('boolean' as const),
    })
    const options = Object.fromEntries([...known].map(([name, row]) => [name, typeOf(row)]))
    const { tokens } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      strict: false,
      allowPositionals: true,
      tokens: true,
    })
    const values = this.#values
    const words: string[] = []
    for (const [index, token] of tokens.entries()) {
      if (token.kind === 'positional') {
        const before = tokens[index - 1]
        const name = before?.kind === 'option' && !before.inlineValue ? before.name : ''
        const row = known.get(name)
        // The word after --json is its file, unless it is a URL.
        if (row && mayTakeValue(row) && !isAddress(token.value)) values[name]!.splice(-1, 1, token.value)
        else words.push(token.value)
      }
      if (token.kind !== 'option') continue
      const { name, rawName, value } = token
      const row = known.get(name)
      if (row === undefined) {
        this.expect(
          false,
          `${rawName}: expected one of ${[...known.keys()].map(each => `--${each}`).join(', ')}`,
        )
      } else if (takesValue(row) && (!value || value.startsWith('--'))) {
        this.expect(false, `${rawName}: expected a value, got ${value || 'none'}`)
      } else if (name in values && !row.many) this.expect(false, `${rawName}: given more than once`)
      else values[name] = [...(values[name] ?? []), value ?? '-']
    }
    this.words = words
  }

  /** @param problem reported if the condition is false; must not contain a secret's value */
  expect(holds: boolean, problem: string): void {
    if (!holds) this.#problems.push(problem)
  }

  /** @throws {UsageError} listing every problem so far */
  end(): void {
    if (this.#problems.length > 0) throw new UsageError(this.#problems)
  }

  has(name: string): boolean {
    return name in this.#values
  }

  one(name: string): string | undefined {
    return this.#values[name]?.[0]
  }

  all(name: string): readonly string[] {
    return this.#values[name] ?? []
  }

  /** @returns the minimum, and reports a problem, if the text is not such a number */
  wholeNumber<Usual>(name: string, [least, most]: readonly [number, number], usual: Usual): number | Usual {
    const text = this.one(name)
    if (text === undefined) return usual
    const isOne = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most
    const expected = `expected a whole number, ${least} to ${most}`
    this.expect(isOne, `--${name}: ${expected}, got ${JSON.stringify(text)}`)
    return isOne ? Number(text) : least
  }

  /** The origin of a URL. A URL with more, such as credentials, is a problem, and is not shown. */
  address(option: string, text: string): string | undefined {
    const url = URL.parse(text)
    if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
    const expected = 'expected an http(s) address without a path, credentials or a query'
    this.expect(false, `${option}: ${expected}, got something else`)
    return undefined
  }

  /** The token in the variable named on the command line. */
  token(option: string, variable = '', env: Environment): string | undefined {
    if (variable === '') return undefined
    const token = env[variable]?.trim() || undefined
    this.expect(token !== undefined, `${option}: expected a token in the variable ${variable}, got nothing`)
    return token
  }
}

function isAddress(word: string): boolean {
  return /^https?:/i.test(word)
}
