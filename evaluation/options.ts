import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'

/** What the command line says. */
export interface Options {
  readonly help: boolean
  /** Files of tasks. */
  readonly tasks: readonly string[]
  /** Agents to ask over HTTP; none: this project's own, in this process. */
  readonly urls: readonly string[]
  /** Bearer token for the agents. */
  readonly token: string | undefined
  /** Models for the agent in this process; none: the configured one. */
  readonly models: readonly string[]
  /** System prompts to try beside each other; none: the agent's own. */
  readonly prompts: readonly { readonly name: string; readonly text: string }[]
  /** Times that each task is run. */
  readonly repeat: number
  /** Runs at once. */
  readonly concurrency: number
  /** Share of served runs that must pass, 0 to 1. */
  readonly pass: number
  readonly html: string | undefined
  readonly json: string | undefined
}

/** Everything that is wrong with the options, a line each. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'

  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

const SHIPPED = ['staging/tasks/tasks.yaml', 'staging/tasks/language.yaml']

export const USAGE = `npm run eval -- [TASKS...] [OPTION...]

Runs tasks with expected answers several times each, and compares models, prompts or agents side by side.

  TASKS             files of tasks, YAML or JSON (${SHIPPED.join(' ')})
  --model NAME      a model for this project's agent, in this process; more than once: side by side
  --url URL         an agent over HTTP instead, as http://localhost:8080; likewise
  --prompt FILE     a system prompt in place of the agent's own; likewise, with each model or agent
  --token-env NAME  variable that holds the bearer token of the agents
  --repeat N        times that each task is run (3)
  --concurrency N   runs at once (4)
  --pass PERCENT    of the runs that are served, how many must pass (100)
  --html FILE       a report to look at
  --json FILE       the same for programs
  --help            this text

Model, key and the rest of the agent in this process are set as for npm start, by environment or .env.
Exit code: 0 enough pass; 1 too few do; 2 nothing was served; 64 wrong options, or an agent that does not answer.
`

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the options.
 *
 * @param args what stands after the program's name
 * @throws {OptionsError} with every problem at once
 */
export function readOptions(args: readonly string[], env: Environment): Options {
  const problems: string[] = []
  const { values, positionals } = parse(args)
  const number = (name: 'repeat' | 'concurrency' | 'pass', least: number, most: number): number => {
    const text = values[name]
    const value = Number(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    problems.push(`--${name}: expected a whole number, ${least} to ${most}, got ${JSON.stringify(text)}`)
    return least
  }
  const urls = values.url ?? []
  for (const url of urls) {
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
      problems.push(`--url: expected an address such as http://localhost:8080, got ${JSON.stringify(url)}`)
    }
  }
  if (urls.length > 0 && values.model) {
    problems.push('--model: expected it without --url: an agent over HTTP has its own model')
  }
  for (const name of ['url', 'model', 'prompt'] as const) {
    const twice = values[name]?.find((value, index, all) => all.indexOf(value) < index)
    if (twice !== undefined)
      problems.push(`--${name}: expected each once, got ${JSON.stringify(twice)} twice`)
  }
  const tokenName = values['token-env']
  const token = tokenName === undefined ? undefined : env[tokenName]?.trim()
  if (tokenName !== undefined && !token) {
    problems.push(`--token-env: expected a variable that holds a token, got ${tokenName}, which is empty`)
  }
  for (const name of ['html', 'json'] as const) expectFolder(name, values[name], problems)
  const options: Options = {
    help: values.help,
    tasks: positionals.length > 0 ? positionals : SHIPPED,
    urls,
    token,
    models: values.model ?? [],
    prompts: (values.prompt ?? []).flatMap(file => readPrompt(file, problems)),
    repeat: number('repeat', 1, 1000),
    concurrency: number('concurrency', 1, 1000),
    pass: number('pass', 0, 100) / 100,
    html: values.html,
    json: values.json,
  }
  if (problems.length > 0) throw new OptionsError(problems)
  return options
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        model: { type: 'string', multiple: true },
        url: { type: 'string', multiple: true },
        prompt: { type: 'string', multiple: true },
        'token-env': { type: 'string' },
        repeat: { type: 'string', default: '3' },
        concurrency: { type: 'string', default: '4' },
        pass: { type: 'string', default: '100' },
        html: { type: 'string' },
        json: { type: 'string' },
      },
    })
  } catch (error) {
    throw new OptionsError([(error as Error).message])
  }
}

/** Told before the tasks are run: they may take an hour, and cost something. */
function expectFolder(name: string, file: string | undefined, problems: string[]): void {
  if (file === undefined) return
  try {
    accessSync(dirname(file), constants.W_OK)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    problems.push(
      `--${name}: expected a file in a folder that can be written, got ${JSON.stringify(file)} (${code})`,
    )
  }
}

function readPrompt(file: string, problems: string[]): Options['prompts'] {
  try {
    return [{ name: file, text: readFileSync(file, 'utf8').trim() }]
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    problems.push(`--prompt: expected a readable file, got ${JSON.stringify(file)} (${code})`)
    return []
  }
}
