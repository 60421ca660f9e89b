import { parseArgs } from 'node:util'

/** A command's options, `--log FILE` or `--help` if there is no value, each with its meaning in the help text. */
export type Options = Readonly<Record<string, string>>

export type Environment = Readonly<Record<string, string | undefined>>

/** Every problem with a command's options, one per line. Never contains a secret's value. */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

/** A program cannot start; the message says why, and what its user can do. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The options as shown in the help text, `--help` last. */
export function optionsText(options: Options): string {
  const all = Object.entries({ ...options, '--help': 'this text' })
  const width = Math.max(...all.map(([option]) => option.length))
  return all.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`).join('\n')
}

/** Parses a command line against its options, and collects problems. `-h` is `--help`. */
export class CommandLine {
  /** The arguments that are not options. */
  readonly words: readonly string[]
  /** By name without dashes; `true` for an option without a value. */
  readonly #values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly #problems: string[] = []

  constructor(args: readonly string[], known: Options) {
    const named = Object.keys(known).map(option => {
      const [name = '', value] = option.slice('--'.length).split(' ')
      return [name, { type: value ? ('string' as const) : ('boolean' as const), multiple: true }] as const
    })
    const options = { ...Object.fromEntries(named), help: { type: 'boolean' as const, short: 'h' } }
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      strict: false,
      allowPositionals: true,
      tokens: true,
    })
    this.#values = values
    this.words = positionals
    const names = Object.keys(options).map(name => `--${name}`)
    for (const token of tokens) {
      if (token.kind !== 'option') continue
      const { name, rawName, value } = token
      const isKnown = names.includes(`--${name}`)
      this.expect(isKnown, `${rawName}: expected one of ${names.join(', ')}`)
      const lacksValue = Object(options)[name]?.type === 'string' && (!value || value.startsWith('--'))
      this.expect(!lacksValue, `${rawName}: expected a value, got ${value || 'none'}`)
    }
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
    return this.all(name).at(-1)
  }

  all(name: string): readonly string[] {
    return [this.#values[name] ?? []].flat().filter(value => typeof value === 'string')
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
    // Only what looks like an address is repeated: anything else may be a secret.
    const got = /^[\w.-]+:\d+\/?$/.test(text) ? `"${text}": try http://${text}` : 'something else'
    this.expect(false, `${option}: ${expected}, got ${got}`)
    return undefined
  }

  /** The token in the variable that `--token-env` names. */
  token(env: Environment): string | undefined {
    const variable = this.one('token-env')
    if (!variable) return undefined
    const token = env[variable]?.trim() || undefined
    this.expect(token !== undefined, `--token-env: expected a token in the variable ${variable}, got nothing`)
    return token
  }
}
