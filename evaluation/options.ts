import { accessSync, constants, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandLine, type Environment, type OptionRow, optionsText } from '../staging/command-line.ts'

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

const SHIPPED = ['staging/tasks/tasks.yaml', 'staging/tasks/language.yaml']

const ROWS: readonly OptionRow[] = [
  {
    option: '--model NAME',
    meaning: "a model for this project's agent, in this process; more than once: side by side",
    many: true,
  },
  {
    option: '--url URL',
    meaning: 'an agent over HTTP instead, as http://localhost:8080; likewise',
    many: true,
  },
  {
    option: '--prompt FILE',
    meaning: "a system prompt in place of the agent's own; likewise, with each model or agent",
    many: true,
  },
  { option: '--token-env NAME', meaning: 'variable that holds the bearer token of the agents' },
  { option: '--repeat N', meaning: 'times that each task is run (3)' },
  { option: '--concurrency N', meaning: 'runs at once (4)' },
  { option: '--pass PERCENT', meaning: 'of the runs that are served, how many must pass (100)' },
  { option: '--html FILE', meaning: 'a report to look at' },
  { option: '--json FILE', meaning: 'the same for programs' },
]

export const USAGE = `npm run eval -- [TASKS...] [OPTION...]

Runs tasks with expected answers several times each, and compares models, prompts or agents side by side.

  TASKS             files of tasks, YAML or JSON (${SHIPPED.join(' ')})
${optionsText(ROWS)}

Model, key and the rest of the agent in this process are set as for npm start, by environment or .env.
Exit code: 0 enough pass; 1 too few do; 2 nothing was served; 64 wrong options, or an agent that does not answer.
`

/**
 * Reads the options.
 *
 * @param args what stands after the program's name
 * @throws {UsageError} with every problem at once
 */
export function readOptions(args: readonly string[], env: Environment): Options {
  const line = new CommandLine(args, ROWS)
  const [urls, models, prompts] = [line.all('url'), line.all('model'), line.all('prompt')]
  for (const url of urls) line.address('--url', url)
  const isEither = urls.length === 0 || models.length === 0
  line.expect(isEither, '--model: expected it without --url: an agent over HTTP has its own model')
  for (const [name, given] of Object.entries({ url: urls, model: models, prompt: prompts })) {
    const twice = given.find((value, index) => given.indexOf(value) < index)
    line.expect(twice === undefined, `--${name}: expected each once, got ${JSON.stringify(twice)} twice`)
  }
  const [html, json] = [line.one('html'), line.one('json')]
  expectFolder('html', html, line)
  expectFolder('json', json, line)
  const options: Options = {
    help: line.has('help'),
    tasks: line.words.length > 0 ? line.words : SHIPPED,
    urls,
    token: line.token('--token-env', line.one('token-env'), env),
    models,
    prompts: prompts.flatMap(file => readPrompt(file, line)),
    repeat: line.wholeNumber('repeat', [1, 1000], 3),
    concurrency: line.wholeNumber('concurrency', [1, 1000], 4),
    pass: line.wholeNumber('pass', [0, 100], 100) / 100,
    html,
    json,
  }
  line.end()
  return options
}

/** Told before the tasks are run: they may take an hour, and cost something. */
function expectFolder(name: string, file: string | undefined, line: CommandLine): void {
  if (file === undefined) return
  try {
    accessSync(dirname(file), constants.W_OK)
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    line.expect(
      false,
      `--${name}: expected a file in a folder that can be written, got ${JSON.stringify(file)} (${code})`,
    )
  }
}

function readPrompt(file: string, line: CommandLine): Options['prompts'] {
  try {
    return [{ name: file, text: readFileSync(file, 'utf8').trim() }]
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    line.expect(false, `--prompt: expected a readable file, got ${JSON.stringify(file)} (${code})`)
    return []
  }
}
